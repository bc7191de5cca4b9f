#!/bin/sh
# setup.sh - installs what Tollgate needs: system packages, then the Python tools in .venv
#
#   tools/setup.sh          everything: the same as `all`
#   tools/setup.sh build    the packages that build and run the kernels; no Python environment
#   tools/setup.sh all      those, the packages of the tests, and .venv from the pins in pyproject.toml
#   tools/setup.sh long     what `make test-all` needs besides, among it pandas, pyarrow and labgrid
#   tools/setup.sh browser  what `make browser` needs besides
#
# tools/packages is the list. Only what is missing is installed: by root at once, for anyone else as
# a line to copy, and on a system without apt as a list of what is missing and what each is for. With
# nothing missing it says nothing, needs no network and no privilege. Exit status: 0 all there,
# 2 usage, 4 something is missing.
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

# rows GROUP...: the lines of these groups, `package there what-for`, with GCC's version filled in;
# what goes with a gcc that nobody knows yet is left out, and asked for the next time.
rows() {
    version=$(gcc_version)
    sed -n "s/^\($(echo "$*" | sed 's/ /\\|/g')\)  *//p" tools/packages |
        sed "${version:+s/GCC/$version/g};/GCC/d"
}

# Whether a row's command or file is there.
there() {
    case $1 in
    /*) ls $1 >/dev/null 2>&1 ;; # a pattern
    *) command -v "$1" >/dev/null ;;
    esac
}

# For systems without dpkg: what is missing, each with its purpose.
list_missing() {
    missing=$(rows "$@" | while read -r package file what; do
        there "$file" || printf '    %-21s %-45s %s\n' "$package" "$file" "$what"
    done)
    [ -z "$missing" ] || fail "this system has no apt-get, and these are missing (Debian's names for the
packages, the command or file that is looked for, what it is for):
$missing
Install what your system calls them (docs/install.md has names for some) and start again."
}

# is_installed NAMES: one of them is.
is_installed() {
    for name in $1; do
        case $installed in
        *" $name=installed "*) return 0 ;;
        esac
    done
    return 1
}

# known a|b: the last of these names that apt knows, else the first.
known() {
    name=${1%%|*}
    for other in $(echo "${1#"$name"}" | tr '|' ' '); do
        [ -z "$(apt-cache pkgnames "$other" 2>/dev/null)" ] || name=$other
    done
    echo "$name"
}

install_packages() {
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        list_missing "$@"
        return
    fi
    # Before gcc is there, apt must know which one it would be.
    if [ -z "$(gcc_version)" ] && [ "$(id -u)" -eq 0 ]; then
        refresh
    fi
    packages=$(rows "$@" | while read -r package _; do echo "$package"; done)
    # "${db:Status-Status}" is the word `installed` for a package that is whole.
    # shellcheck disable=SC2046
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
    DEBIAN_FRONTEND=noninteractive $line >/dev/null ||
        fail "apt-get failed; its own message stands above. Try by hand: $line"
}

refreshed=
refresh() {
    [ -n "$refreshed" ] || apt-get update -q >/dev/null ||
        say "the package lists could not be refreshed; trying with the old ones"
    refreshed=yes
}

# why_pip_failed LOG: the cause, in a sentence; what pip said itself stays in the log.
why_pip_failed() {
    if grep -q 'CERTIFICATE_VERIFY_FAILED\|certificate verify failed\|SSLCertVerificationError' "$1"; then
        echo "the server's certificate is signed by nobody whom this system trusts, as behind a proxy that
opens TLS. Give pip that proxy's certificate: PIP_CERT=/path/to/its-ca.pem make ..., or \`pip config set
global.cert FILE'. What pip said is in $1"
    elif grep -q 'ProxyError\|407 Proxy' "$1"; then
        echo "the proxy (\$https_proxy) refuses. What pip said is in $1"
    elif grep -q 'NewConnectionError\|NameResolutionError\|name resolution\|Network is unreachable\|timed out' "$1"; then
        echo "there is no way to its index; without a network they cannot be fetched. What pip said is in $1"
    else
        echo "$(grep -v '^ *$' "$1" | grep -i '^error' | tail -n 1) What pip said is in $1"
    fi
}

# pip_install WHAT EXTRA: the tree with an extra of pyproject.toml, into .venv; WHAT is said where it fails.
pip_install() {
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[$2]" \
        >.venv/pip.log 2>&1 || fail "pip could not install $1: $(why_pip_failed .venv/pip.log)"
}

# extra NAME MODULES: an extra that not everyone needs, unless its modules are there.
extra() {
    [ -x .venv/bin/python ] || return 0 # `all` comes first
    .venv/bin/python -c "import $2" 2>/dev/null || pip_install "the packages of the extra $1 ($2)" "$1"
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
    pip_install "the packages" test
    echo "$pins $PWD" >$stamp
}

cd "$(dirname "$0")/.."
case ${1-all} in
build)
    install_packages build
    tools/fetch.sh
    ;;
all)
    install_packages build test
    tools/fetch.sh
    install_venv
    ;;
long | browser)
    install_packages "$1"
    if [ "$1" = long ]; then
        extra data pandas,pyarrow
        extra lab labgrid
    fi
    ;;
*)
    echo "usage: tools/setup.sh [build|all|long|browser]" >&2
    exit 2
    ;;
esac
