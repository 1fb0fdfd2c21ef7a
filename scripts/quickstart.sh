#!/usr/bin/env bash
# The main job from nothing, in a few minutes: sets up, builds, trains on the corpus in data/, translates its test set
# with one alignment matrix per sentence, and scores the result. Everything it makes lies in runs/quickstart/.
#
#   scripts/quickstart.sh           trains if runs/quickstart holds no finished model (goes on where it was stopped)
#   scripts/quickstart.sh --again   removes runs/quickstart and trains anew
set -euo pipefail
cd "$(dirname "$0")/.."
run=runs/quickstart

say() { printf '\n== %s\n' "$*"; }

case ${1:-} in
  --again) rm -rf "$run" ;;
  '') ;;
  -h | --help) sed -n '2,6s/^# \{0,1\}//p' "$0"; exit ;;
  *) echo "quickstart: unknown option '$1'; there is --again" >&2; exit 2 ;;
esac

say "Building gloss"
scripts/build.sh
gloss=build/release/gloss

# Finished: the last line of train.jsonl is the event "end", and not because of a signal.
is_finished() {
  [ -e "$run/model.safetensors" ] && [ -e "$run/train.jsonl" ] || return 1
  tail -n 1 "$run/train.jsonl" | grep '"event": *"end"' | grep -vq '"reason": *"stopped by'
}
if is_finished; then
  say "Training: $run holds a finished model, kept as it is (scripts/quickstart.sh --again trains anew)"
else
  say "Training on $(wc -l <data/train.en) English-French pairs"
  mkdir -p runs
  "$gloss" train --config configs/quickstart.toml --model "$run"
fi

say "Translating data/test.en"
rm -rf "$run/alignments"
"$gloss" translate --model "$run" --input data/test.en --output "$run/test.fr" --alignments "$run/alignments/"

say "Scores of the translation"
"$gloss" evaluate --hypothesis "$run/test.fr" --reference data/test.fr --metrics bleu,chrf | tee "$run/scores.txt"

# One row per target word, one column per source word: "love" is written in CSV, read here as a table.
show_matrix() {  # show_matrix FILE.csv
  python3 - "$1" <<'PYTHON'
import csv, sys
rows = list(csv.reader(open(sys.argv[1], encoding="utf-8", newline="")))
words = [rows[0]] + [[row[0]] + [f"{float(weight):.2f}" for weight in row[1:]] for row in rows[1:]]
widths = [max(map(len, column)) for column in zip(*words)]
for row in words:
    print("   " + row[0].ljust(widths[0]) + "".join("  " + cell.rjust(width) for cell, width in zip(row[1:], widths[1:])))
PYTHON
}

line=$(grep -n -m 1 -x 'I love you' data/test.en | cut -d: -f1)
matrix=$run/alignments/$(printf '%06d' "$line").csv
say "Which source words each target word came from: $matrix"
show_matrix "$matrix"
cat <<'TEXT'

   Read it row by row: a row is a word of the translation, a column a word of the source, and the weights of a row add
   up to 1. "aime" looks at "love", "t'" at "you": the two languages put them in the opposite order.
TEXT

say "What was made"
cat <<TEXT
   $run/                  the model: everything that gloss translate needs
   $run/test.fr           the translation of data/test.en
   $run/alignments/       one matrix per line of data/test.en ($(ls "$run/alignments" | wc -l) CSV files)
   $run/scores.txt        the scores above
   $run/train.jsonl       how training went

   Try: echo 'I love you' | $gloss translate --model $run
TEXT
