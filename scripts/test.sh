#!/usr/bin/env bash
# Sets up, builds everything and runs all tests. Arguments go to ctest: scripts/test.sh -L nn, scripts/test.sh -R 'batch'.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/build.sh all
echo "running the tests" >&2
ctest --test-dir build/release --parallel 2 --output-on-failure --no-tests=error "$@"
