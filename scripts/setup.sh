#!/usr/bin/env bash
# Everything gloss needs to build: system packages through apt, LibTorch into .deps/. Run it as often as you like:
# it does what is missing, goes on where it was stopped, and says nothing when there is nothing to do.
#
#   scripts/setup.sh          what building and testing needs
#   scripts/setup.sh --cuda   also the libraries that an NVIDIA GPU needs (about 2 GB to download)
#   scripts/setup.sh --dev    also clang-format and clang-tidy, for scripts/check.sh
#
# GLOSS_LIBTORCH=DIR uses the LibTorch in DIR (the folder with include/ and lib/) and downloads none.
set -euo pipefail
cd "$(dirname "$0")/.."
deps=$PWD/.deps

say() { printf 'setup: %s\n' "$*" >&2; }
die() { say "$@"; exit 1; }

cuda='' dev=''
for argument; do
  case $argument in
    --cuda) cuda=1 ;;
    --dev) dev=1 ;;
    -h | --help) sed -n '2,9s/^# \{0,1\}//p' "$0"; exit ;;
    *) die "unknown option '$argument'; there are --cuda and --dev" ;;
  esac
done

# --- system packages: kind of probe, what to look for, Debian package ---
needs=(
  'command g++ g++'
  'command cmake cmake'
  'command ninja ninja-build'
  'command ccache ccache'
  'command git git'
  'command python3 python3'
  'header sentencepiece_processor.h libsentencepiece-dev'
  'header CLI/CLI.hpp libcli11-dev'
  'header spdlog/spdlog.h libspdlog-dev'
  'header fmt/core.h libfmt-dev'
  'header catch2 catch2'
  'header nlohmann/json.hpp nlohmann-json3-dev'
  'header toml++/toml.h libtomlplusplus-dev'
  'header jemalloc/jemalloc.h libjemalloc-dev'
  'header zlib.h zlib1g-dev'
  'header unicode/uchar.h libicu-dev'
  'header openssl/evp.h libssl-dev'
)
needs_dev=('command clang-format-14 clang-format-14' 'command clang-tidy-14 clang-tidy-14')
needs_fetch=('command unzip unzip' 'pip pip python3-pip' 'file /etc/ssl/certs/ca-certificates.crt ca-certificates')

present() {  # present KIND NAME
  case $1 in
    command) command -v "$2" >/dev/null ;;
    file) [ -e "$2" ] ;;
    pip) python3 -m pip --version >/dev/null 2>&1 ;;
    header)
      local folder folders
      IFS=: read -ra folders <<<"${CMAKE_PREFIX_PATH:-}"
      for folder in /usr /usr/local "${folders[@]}"; do
        [ -n "$folder" ] && [ -e "$folder/include/$2" ] && return 0
      done
      compgen -G "/usr/include/*-linux-gnu/$2" >/dev/null ;;
  esac
}

# Package managers quote the address of their mirror; it tells nobody anything.
without_addresses() { sed -E "s#[a-z]+://[^ '\"]*#(address)#g; s#host='[^']*'#host=(address)#g" "$1"; }

install_packages() {  # install_packages 'KIND NAME PACKAGE'...
  local need kind name package missing=() packages=()
  for need; do
    read -r kind name package <<<"$need"
    present "$kind" "$name" || { missing+=("$kind $name"); packages+=("$package"); }
  done
  [ ${#missing[@]} -gt 0 ] || return 0

  if ! command -v apt-get >/dev/null; then
    say "there is no apt-get here, so please install by other means (name of the Debian package in brackets):"
    local i
    for i in "${!missing[@]}"; do say "  ${missing[i]} (${packages[i]})"; done
    exit 1
  fi
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "needs root or sudo to install: ${packages[*]}"
    as_root=(sudo)
  fi
  say "installing packages: ${packages[*]}"
  local log; log=$(mktemp)
  if ! { { [ -n "${updated:-}" ] || "${as_root[@]}" apt-get -qq update; } &&
         "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends \
           -o Dpkg::Use-Pty=0 install "${packages[@]}"; } >"$log" 2>&1 </dev/null; then
    without_addresses "$log" | tail -n 20 >&2
    rm -f "$log"
    die "apt-get failed, see above; mend that and run scripts/setup.sh again"
  fi
  rm -f "$log"
  updated=1
}

install_packages "${needs[@]}"
[ -z "$dev" ] || install_packages "${needs_dev[@]}"

cmake_version=$(cmake --version | sed -n '1s/[^0-9]*//p')
[ "$(printf '3.25\n%s\n' "$cmake_version" | sort -V | head -n 1)" = 3.25 ] ||
  die "CMake $cmake_version is too old: 3.25 or newer is needed (Debian 12, Ubuntu 24.04)"

# --- LibTorch ---
if [ -n "${GLOSS_LIBTORCH:-}" ]; then
  for file in include/ATen/ATen.h lib/libtorch_cpu.so; do
    [ -e "$GLOSS_LIBTORCH/$file" ] ||
      die "GLOSS_LIBTORCH=$GLOSS_LIBTORCH: no $file in there; name the folder with include/ and lib/ of LibTorch 2.11"
  done
  [ -z "$cuda" ] || say "--cuda does nothing with GLOSS_LIBTORCH: bring its CUDA libraries yourself"
  exit 0
fi

mkdir -p "$deps"
exec 9>"$deps/lock"
flock -n 9 || { say "another set-up is running, waiting for it"; flock 9; }

pins() { sed -e '/^#/d' "$@"; }  # NAME==VERSION --hash=... # SIZE
# One line per wheel that lies unpacked in .deps, written when it is complete. A half-unpacked one is done again.
done_list=$deps/unpacked.txt
touch "$done_list"
if [ -n "$(cut -d' ' -f1 "$done_list" | grep -vxFf <(pins scripts/libtorch.txt scripts/libtorch-cuda.txt | cut -d' ' -f1))" ]; then
  say "other versions are pinned now: fetching LibTorch anew"
  rm -rf "$deps/torch" "$deps/nvidia"
  : >"$done_list"
fi
[ -e "$deps/torch/lib/libtorch_cpu.so" ] && [ -e "$deps/torch/include/ATen/ATen.h" ] || : >"$done_list"

todo=()
while read -r pin; do
  grep -qxF "${pin%% *}" "$done_list" || todo+=("$pin")
done < <(pins scripts/libtorch.txt ${cuda:+scripts/libtorch-cuda.txt})
[ ${#todo[@]} -gt 0 ] || exit 0

[ "$(uname -sm)" = 'Linux x86_64' ] ||
  die "the pinned LibTorch is for Linux on x86-64; on $(uname -sm) bring your own: GLOSS_LIBTORCH=DIR"
install_packages "${needs_fetch[@]}"

fetch=$deps/fetch
pip_process=''
trap '[ -z "$pip_process" ] || kill "$pip_process" 2>/dev/null || true' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

megabytes() { du -sm "$1" | cut -f1; }

download() {  # download 'NAME==VERSION --hash=... # SIZE'
  rm -rf "$fetch"
  mkdir -p "$fetch/tmp" "$fetch/wheels"
  printf '%s\n' "$1" >"$fetch/requirement.txt"
  say "downloading ${1%% *} (${1##*# })"
  # The platforms are given so that the wheel does not depend on which Python is here.
  local platforms=() glibc
  for glibc in 28 27 25 18 17 12 5; do platforms+=(--platform "manylinux_2_${glibc}_x86_64"); done
  TMPDIR=$fetch/tmp python3 -m pip download --quiet --disable-pip-version-check --no-cache-dir --progress-bar off \
    --require-hashes --no-deps --only-binary=:all: --python-version 3.11 "${platforms[@]}" \
    --platform manylinux2014_x86_64 --dest "$fetch/wheels" --requirement "$fetch/requirement.txt" \
    >"$fetch/log" 2>&1 </dev/null 9>&- &
  pip_process=$!
  local tick=0
  while kill -0 "$pip_process" 2>/dev/null; do
    sleep 0.5
    tick=$((tick + 1))
    [ $((tick % 20)) -ne 0 ] || say "  $(megabytes "$fetch") MB so far"
  done
  if ! wait "$pip_process"; then
    pip_process=''
    without_addresses "$fetch/log" | tail -n 20 >&2
    die "downloading ${1%% *} failed; run scripts/setup.sh again to go on from here"
  fi
  pip_process=''
}

for pin in "${todo[@]}"; do
  download "$pin"
  parts=('nvidia/*')
  # torch/include/fmt would shadow the system's fmt, which spdlog was built with.
  [[ $pin != torch==* ]] || parts=('torch/lib/*' 'torch/include/*' -x 'torch/include/fmt/*')
  unzip -q -o "$fetch"/wheels/*.whl "${parts[@]}" -d "$deps"
  printf '%s\n' "${pin%% *}" >>"$done_list"
  rm -rf "$fetch"
done
say "LibTorch is ready in .deps/"
