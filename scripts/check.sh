#!/usr/bin/env bash
# What a change must pass: format, layers, clang-tidy on the changed files, build, tests.
#   scripts/check.sh           all of it
#   scripts/check.sh --quick   format and layers only
#   scripts/check.sh --fix     formats the files instead of complaining, then layers only
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh --dev

mapfile -t sources < <(git ls-files --cached --others --exclude-standard -- '*.cpp' '*.h')
existing=()
for file in "${sources[@]}"; do [ ! -e "$file" ] || existing+=("$file"); done

echo "check: format" >&2
if [ "${1:-}" = --fix ]; then
  clang-format-14 -i "${existing[@]}"
else
  clang-format-14 --dry-run --Werror "${existing[@]}" ||
    { echo "check: not formatted; scripts/check.sh --fix mends that" >&2; exit 1; }
fi

echo "check: layers" >&2
python3 scripts/check_layers.py

case ${1:-} in
  --quick | --fix) exit ;;
  '') ;;
  *) echo "check: unknown option '$1'; there are --quick and --fix" >&2; exit 2 ;;
esac

mapfile -t changed < <({ git diff --name-only --diff-filter=d HEAD -- '*.cpp'
                         git ls-files --others --exclude-standard -- '*.cpp'; } | sort -u)
if [ ${#changed[@]} -gt 0 ]; then
  echo "check: clang-tidy on ${#changed[@]} changed files" >&2
  cmake --preset tidy --log-level=WARNING -DGLOSS_LIBTORCH="${GLOSS_LIBTORCH:-$PWD/.deps/torch}" >&2
  printf '%s\0' "${changed[@]}" | xargs -0 -n 1 -P 2 clang-tidy-14 --quiet -p build/tidy
fi

scripts/test.sh
