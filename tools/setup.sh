#!/bin/sh
# setup.sh - installs what Tollgate needs: Debian packages, then the Python tools in .venv
#
#   tools/setup.sh          everything: the same as `all`
#   tools/setup.sh build    the packages that build and run the kernels; no Python environment
#   tools/setup.sh all      those, the packages of the tests, and .venv from the pins in pyproject.toml
#
# Only what is missing is installed: by root at once, for anyone else as a line to copy. With
# nothing missing it says nothing, needs no network and no privilege. Exit status: 0 all there,
# 2 usage, 4 something is missing.
set -eu

BUILD="nasm gcc make cpio grub-common grub-pc-bin grub-efi-amd64-bin grub-efi-ia32-bin xorriso mtools
       qemu-system-x86 bochs bochs-term bochsbios vgabios gdb console-setup-linux"
TESTS="ovmf clang lld clang-format libc6-dev libc6-dev-i386 lib32gcc-12-dev musl-tools libcmocka-dev git
       python3-venv"

say() {
    echo "setup: $*"
}

fail() {
    echo "setup: $*" >&2
    exit 4
}

install_packages() {
    # "${db:Status-Status}" is the word `installed` for a package that is whole.
    installed=" $(dpkg-query -W -f '${Package}=${db:Status-Status} ' "$@" 2>/dev/null || true)"
    missing=
    for package in "$@"; do
        case $installed in
        *" $package=installed "*) ;;
        *) missing="$missing $package" ;;
        esac
    done
    if [ -z "$missing" ]; then
        return
    fi
    line="apt-get install -y --no-install-recommends$missing"
    if [ "$(id -u)" -ne 0 ]; then
        fail "these packages are missing; install them and start again: sudo $line"
    fi
    say "installing Debian packages:$missing"
    apt-get update -q >/dev/null || say "the package lists could not be refreshed; trying with the old ones"
    DEBIAN_FRONTEND=noninteractive $line >/dev/null ||
        fail "apt-get failed; its own message stands above. Try by hand: $line"
}

install_venv() {
    # What the checkers are told comes after the pins and needs no new environment. The tree's
    # place counts: an environment knows its own path and does not survive a move.
    pins=$(sed '/^\[tool\.pytest/,$d' pyproject.toml | sha256sum)
    stamp=.venv/tollgate.stamp
    if [ "$(cat $stamp 2>/dev/null)" = "$pins $PWD" ] && [ -x .venv/bin/python ]; then
        return
    fi
    say "filling .venv with the Python packages that pyproject.toml pins (needs the network, once)"
    case $(cat $stamp 2>/dev/null) in
    *" $PWD") ;;
    *) rm -rf .venv ;;
    esac
    python3 -m venv .venv ||
        fail "python3 -m venv failed; the Debian package python3-venv provides it"
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[test]' ||
        fail "pip could not install the packages; without a network they cannot be fetched"
    echo "$pins $PWD" >$stamp
}

cd "$(dirname "$0")/.."
case ${1-all} in
build)
    # shellcheck disable=SC2086
    install_packages $BUILD
    ;;
all)
    # shellcheck disable=SC2086
    install_packages $BUILD $TESTS
    install_venv
    ;;
*)
    echo "usage: tools/setup.sh [build|all]" >&2
    exit 2
    ;;
esac
