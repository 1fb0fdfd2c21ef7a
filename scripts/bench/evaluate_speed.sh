#!/usr/bin/env bash
# Time and memory of `gloss evaluate` beside sacreBLEU, one after the other on the same texts and machine:
#
#   scripts/bench/evaluate_speed.sh [SACREBLEU [THREADS]]
#
# SACREBLEU is the command to compare with (pip install sacrebleu==2.6.0); without one, or with '', gloss runs alone.
# Texts: 100,000 lines of 12 words for BLEU and chrF++, the first 10,000 of them for TER; words of a seeded Zipf law, every
# fourth exchanged, in half of the lines a block of three moved. gloss is run three times, and its middle time counts.
set -euo pipefail
sacrebleu=${1:-} threads=${2:-2}
gloss=$(realpath "$(dirname "$0")/../../build/release/gloss")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

python3 - <<'PYTHON'
import itertools, random
rng = random.Random(1)
words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(1, 9))) for _ in range(20000)]
weights = list(itertools.accumulate(1 / rank for rank in range(1, len(words) + 1)))
with open("hypothesis", "w") as hypotheses, open("reference", "w") as references:
    for _ in range(100000):
        reference = rng.choices(words, cum_weights=weights, k=12)
        hypothesis = [rng.choices(words, cum_weights=weights)[0] if rng.random() < 0.25 else word for word in reference]
        if rng.random() < 0.5:
            begin, place = rng.randrange(9), rng.randrange(9)
            rest = hypothesis[:begin] + hypothesis[begin + 3:]
            hypothesis = rest[:place] + hypothesis[begin:begin + 3] + rest[place:]
        print(" ".join(hypothesis).capitalize() + ".", file=hypotheses)
        print(" ".join(reference).capitalize() + ".", file=references)
PYTHON
head -n 10000 hypothesis >short-hypothesis
head -n 10000 reference >short-reference

# timed COMMAND…: seconds and peak KiB
timed() {
  /usr/bin/env time -f '%e %M' -o usage "$@" >scores 2>log || { cat log >&2; exit 1; }
  tail -n 1 usage
}

# compare WHAT PREFIX METRICS CHRF_WORD_ORDER: one row of the table
compare() {
  local what=$1 prefix=$2 metrics=$3 order=$4 seconds peak other ratio='-'
  read -r seconds peak < <(for _ in 1 2 3; do
    timed "$gloss" evaluate --quiet --threads "$threads" --metrics "${metrics// /,}" --chrf-word-order "$order" \
      --hypothesis "${prefix}hypothesis" --reference "${prefix}reference"
  done | sort -n | sed -n 2p)
  other='-'
  if [ -n "$sacrebleu" ]; then
    # shellcheck disable=SC2086  # several words on purpose
    read -r other _ < <(timed $sacrebleu "${prefix}reference" -i "${prefix}hypothesis" -m $metrics --chrf-word-order "$order")
    ratio=$(awk -v a="$other" -v b="$seconds" 'BEGIN { printf "%.0f x", a / b }')
  fi
  printf '%-36s %10s %10s %12s %8s\n' "$what" "$seconds" "$((peak / 1024))" "$other" "$ratio"
}

printf '%-36s %10s %10s %12s %8s\n' task 'gloss s' 'peak MiB' 'sacreBLEU s' ratio
compare 'BLEU and chrF++, 100,000 lines' '' 'bleu chrf' 2
compare 'TER, 10,000 lines' short- ter 0
