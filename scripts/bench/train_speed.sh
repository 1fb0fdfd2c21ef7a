#!/usr/bin/env bash
# Training speed and memory of each kind of model on a corpus of yours, one after the other on the same machine:
#
#   scripts/bench/train_speed.sh SOURCE TARGET [UPDATES] [gloss train options…]
#
# Joint vocabulary of 10,000 pieces, 4,096 target tokens a batch, dropout 0.3, two threads. RNNs: bidirectional GRU encoder
# 256, decoder 256, embeddings 256; transformer: --preset transformer-tiny. Prints real target tokens a second over all
# updates after the first ten, and peak memory.
set -euo pipefail
source=$1 target=$2 updates=${3:-110}
shift $(($# < 3 ? $# : 3))
gloss=$(dirname "$0")/../../build/release/gloss
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

models=('--attention bahdanau' '--attention luong' '--attention luong --input-feeding' '--preset transformer-tiny')
if grep -qw avx512_bf16 /proc/cpuinfo; then models+=("${models[@]/%/ --precision bf16}"); fi

printf '%-50s %16s %12s\n' model 'target tokens/s' 'peak MiB'
for model in "${models[@]}"; do
  # shellcheck disable=SC2086  # several words on purpose
  /usr/bin/env time -f %M -o "$work/memory" "$gloss" train $model --model "$work/model" \
    --train-source "$source" --train-target "$target" --vocab-size 10000 --shared-vocab --batch-tokens 4096 --threads 2 \
    --dropout 0.3 --updates "$updates" --report-every 10 --warmup 20 --save-every 0 --quiet "$@" 2>"$work/log" ||
    { cat "$work/log" >&2; exit 1; }
  speed=$(python3 - "$work/model/train.jsonl" <<'PYTHON'
import json, statistics, sys
events = [json.loads(line) for line in open(sys.argv[1])]
speeds = [event["target_tokens_per_second"] for event in events if event["event"] == "report"][1:]
print(round(statistics.harmonic_mean(speeds)))
PYTHON
  )
  printf '%-50s %16s %12s\n' "$model" "$speed" "$(($(tail -n 1 "$work/memory") / 1024))"
  rm -rf "$work/model"
done
