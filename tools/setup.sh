#!/bin/sh
# setup.sh - installs what Tollgate needs: system packages, then the Python tools in .venv
#
#   tools/setup.sh GROUP...         the packages of these groups of tools/packages, then .venv from the pins
#                                   in pyproject.toml: what `make bench` needs, and more for `test`, `lint` and `long`
#   tools/setup.sh first GROUP...   as root only those that a build takes (compile, iso, libc), so that it can
#                                   begin beside the rest; anyone else is told all that these groups lack
#
# Only what is missing is installed: by root at once, for anyone else as a line to copy. With nothing
# missing it says nothing, needs no network and no privilege. On a system without apt it installs
# nothing, and says so while gcc or nasm is missing. Exit status: 0 all there, 2 usage, 4 something is missing.
set -eu

say() {
    echo "setup: $*"
}

fail() {
    echo "setup: $*" >&2
    exit 4
}

# The major version of the system's gcc, or of the one that apt would install.
gcc_version() {
    if command -v gcc >/dev/null; then
        gcc -dumpversion | cut -d. -f1
    else
        apt-cache depends gcc 2>/dev/null | sed -n 's/.*Depends: gcc-\([0-9]*\)$/\1/p' | head -n 1
    fi
}

# rows GROUP...: the lines of these groups, `package purpose`, with GCC's version filled in.
# Packages for an unknown gcc are left out, and requested the next time.
rows() {
    version=$(gcc_version)
    sed -n "s/^\($(echo "$*" | sed 's/ /\\|/g')\)  *//p" tools/packages |
        sed "${version:+s/GCC/$version/g};/GCC/d"
}

# is_installed NAMES: whether one of them is installed.
is_installed() {
    for name in $1; do
        case $installed in
        *" $name=installed "*) return 0 ;;
        esac
    done
    return 1
}

# known a|b: the last of these names that apt has, else the first.
known() {
    name=${1%%|*}
    for other in $(echo "${1#"$name"}" | tr '|' ' '); do
        [ -z "$(apt-cache pkgnames "$other" 2>/dev/null)" ] || name=$other
    done
    echo "$name"
}

install_packages() {
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        command -v gcc >/dev/null && command -v nasm >/dev/null ||
            fail "this system has no apt-get: install what tools/packages names, and start again"
        return
    fi
    # Without gcc, apt must report which one it would install.
    if [ -z "$(gcc_version)" ] && [ "$(id -u)" -eq 0 ]; then
        refresh
    fi
    packages=$(rows "$@" | while read -r package _; do echo "$package"; done)
    # "${db:Status-Status}" is the word `installed` for a complete package. shellcheck
    # disable=SC2046
    installed=" $(dpkg-query -W -f '${Package}=${db:Status-Status} ' $(echo "$packages" | tr '|' ' ') 2>/dev/null || true)"
    missing=
    for package in $packages; do
        is_installed "$(echo "$package" | tr '|' ' ')" || missing="$missing $(known "$package")"
    done
    if [ -z "$missing" ]; then
        return
    fi
    line="apt-get install -y --no-install-recommends$missing"
    if [ "$(id -u)" -ne 0 ]; then
        fail "these packages are missing; install them and start again: sudo $line"
    fi
    say "installing $(echo "$missing" | wc -w) packages:$missing"
    refresh
    DEBIAN_FRONTEND=noninteractive $line >/dev/null 2>"$log" || fail "$(why_apt_failed "$log"; echo "By hand: $line")"
}

refreshed=
refresh() {
    [ -z "$refreshed" ] || return 0
    refreshed=yes # without this option it exits with 0 where no mirror can be reached
    apt-get update -q -o APT::Update::Error-Mode=any >/dev/null 2>&1 && return 0
    say "the package lists could not be refreshed; trying with the old ones"
    refreshed=no
}

# why_apt_failed LOG: a sentence about the cause, or apt's own output.
why_apt_failed() {
    if grep -q 'Could not get lock\|is another process using it' "$1"; then
        echo "another process has apt's lock ($(grep -o 'held by process [0-9]* ([^)]*)' "$1" | tail -n 1)); start again when it has ended."
    elif grep -q 'No space left\|enough free space' "$1"; then
        echo "there is no room on the disk for the packages; make room and start again."
    elif [ "$refreshed" = no ] && grep -q 'Unable to locate' "$1" || grep -q 'Temporary failure resolving\|Could not resolve\|Could not connect\|Network is unreachable\|Connection timed out' "$1"; then
        echo "no mirror of apt's can be reached; start again when there is a network."
    elif grep -q 'dpkg was interrupted' "$1"; then
        echo "an installation was interrupted before; type \`dpkg --configure -a' and start again."
    else
        grep '^E: ' "$1" || cat "$1"
    fi
}

# why_pip_failed LOG: a sentence about the cause; pip's own output stays in the log.
why_pip_failed() {
    if grep -q 'CERTIFICATE_VERIFY_FAILED\|certificate verify failed\|SSLCertVerificationError' "$1"; then
        echo "the server's certificate is signed by nobody whom this system trusts, as behind a proxy that
opens TLS. Give pip that proxy's certificate: PIP_CERT=/path/to/its-ca.pem make ..., or \`pip config set
global.cert FILE'. What pip said is in $1"
    elif grep -q 'No space left' "$1"; then
        echo "there is no room on the disk; make room and start again. What pip said is in $1"
    elif grep -q 'ProxyError\|407 Proxy' "$1"; then
        echo "the proxy (\$https_proxy) refuses. What pip said is in $1"
    elif grep -q 'NewConnectionError\|NameResolutionError\|name resolution\|Network is unreachable\|timed out' "$1"; then
        echo "there is no way to its index; without a network they cannot be fetched. What pip said is in $1"
    else
        echo "$(grep -v '^ *$' "$1" | grep -i '^error' | tail -n 1) What pip said is in $1"
    fi
}

# pip_install EXTRA: installs the tree into .venv, or the packages of an extra of pyproject.toml.
pip_install() {
    list='import sys, tomllib; print(*tomllib.load(sys.stdin.buffer)["project"]["optional-dependencies"][sys.argv[1]])'
    what="--editable ."
    [ -z "$1" ] || what=$(.venv/bin/python -c "$list" "$1" <pyproject.toml) || fail "pyproject.toml does not name the extra $1"
    # shellcheck disable=SC2086
    .venv/bin/python -m pip install --quiet --disable-pip-version-check $what \
        >.venv/pip.log 2>&1 || fail "pip could not install the packages${1:+ of the extra $1}: $(why_pip_failed .venv/pip.log)"
}

# install_venv EXTRA...: keeps an environment that was made here, by this Python, from these pins.
install_venv() {
    # Checkers' settings come after the pins and need no new environment. The tree's path counts,
    # because an environment contains its own path and does not survive a move.
    python=$(python3 -c 'import sys; v = sys.version_info[:2]; print("%d.%d" % v); sys.exit(v < (3, 11))') ||
        fail "Tollgate needs Python 3.11 or newer; this system's python3 is ${python:-not there}"
    made="$(sed '/^\[tool\.pytest/,$d' pyproject.toml | sha256sum | cut -c1-16) $python $PWD"
    stamp=.venv/tollgate.stamp
    if [ "$(head -n 1 $stamp 2>/dev/null)" != "$made" ] || [ ! -x .venv/bin/python ]; then
        say "filling .venv with the Python packages that pyproject.toml pins (needs the network, once)"
        rm -rf .venv
        python3 -m venv .venv || fail "python3 -m venv failed: the Debian package python3-venv or room on the disk is missing"
        pip_install ""
        echo "$made" >$stamp
    fi
    for extra in "$@"; do
        grep -qx "$extra" $stamp && continue
        say "adding the Python packages of the extra $extra to .venv"
        pip_install "$extra"
        echo "$extra" >>$stamp
    done
}

cd "$(dirname "$0")/.."
first=
[ "${1-}" != first ] || { first=yes; shift; }
known_groups=$(sed -n 's/^\([a-z]*\)  *.*/\1/p' tools/packages | uniq)
for group in "${@:-none}"; do
    echo "$known_groups" | grep -qx "$group" || {
        echo "usage: tools/setup.sh [first] GROUP..., of the groups" $known_groups >&2
        exit 2
    }
done
[ -w . ] || fail "nothing can be written to this folder; work in a copy of your own (git clone, or cp -r)"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if [ "$first" ] && [ "$(id -u)" -eq 0 ]; then
    install_packages $(for group in "$@"; do case $group in compile | iso | libc) echo "$group" ;; esac; done)
else
    install_packages "$@"
fi
tools/fetch.sh
[ "$first" ] || install_venv $(for group in "$@"; do case $group in test) echo test ;; lint) echo test lint ;; long) echo data ;; weekly) echo weekly ;; esac; done)
