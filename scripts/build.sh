#!/usr/bin/env bash
# Sets up, configures and builds gloss: build/release/gloss. Arguments are build targets (default: gloss).
# GLOSS_LIBTORCH=DIR uses the LibTorch in DIR; GLOSS_JOBS=N compiles N files at a time (default: one per core).
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- gloss

scripts/setup.sh

# Given on every call, so that a build folder never keeps a LibTorch that is no longer asked for.
cmake --preset release --log-level=WARNING -DGLOSS_LIBTORCH="${GLOSS_LIBTORCH:-$PWD/.deps/torch}" >&2
NINJA_STATUS=${NINJA_STATUS:-[%f/%t %es] } cmake --build build/release --parallel "${GLOSS_JOBS:-$(nproc)}" --target "$@" >&2
