#!/bin/sh
# sqlite.sh ARCH OUT - Debian's libsqlite3.a of an architecture, amd64 or i386, as OUT
#
# The installed one (libsqlite3-dev, of tools/packages); for the other width the same package, which
# is fetched and not installed, so the system needs no second architecture. What apt needs to know of
# it, it keeps in a folder of its own; the package stays in ~/.cache. Exit status: 0 it is there,
# 4 it is not, and why.
set -eu

arch=$1 out=$2
case $arch in
i386) folder=usr/lib/i386-linux-gnu ;;
amd64) folder=usr/lib/x86_64-linux-gnu ;;
*) echo "sqlite.sh: there is no $arch" >&2 && exit 2 ;;
esac
cache=${XDG_CACHE_HOME:-${HOME:-/var/cache}/.cache}/tollgate

fail() {
    echo "setup: SQLite for $arch is missing: $*; the suite wisconsin alone needs it: by hand, put
Debian's package libsqlite3-dev of $arch into $cache as $package" >&2
    exit 4
}

mkdir -p "$(dirname "$out")"
if [ -f "/$folder/libsqlite3.a" ]; then
    cp "/$folder/libsqlite3.a" "$out"
    exit 0
fi
# Both widths are of one version: that of the package that is installed.
version=$(dpkg-query -W -f '${Version}' libsqlite3-dev 2>/dev/null || true)
package=libsqlite3-dev_${version}_$arch.deb
[ -n "$version" ] || fail "libsqlite3-dev is not installed"
state=$(mktemp -d)
trap 'rm -rf "$state"' EXIT
if [ ! -f "$cache/$package" ]; then
    mkdir -p "$cache" "$state/lists/partial" "$state/archives/partial"
    for verb in update "download libsqlite3-dev=$version"; do
        # shellcheck disable=SC2086
        (cd "$state" && apt-get -q -o APT::Architecture="$arch" -o APT::Architectures::="$arch" \
            -o Dir::State="$state" -o Dir::State::status=/dev/null -o Dir::Cache="$state" \
            -o Acquire::Languages=none -o APT::Sandbox::User= $verb) >"$state/log" 2>&1 || true
    done
    mv "$state"/libsqlite3-dev_*.deb "$cache/$package" 2>/dev/null ||
        fail "apt says: $(tail -n 1 "$state/log")"
fi
dpkg-deb -x "$cache/$package" "$state/unpacked" || fail "$cache/$package is damaged"
cp "$state/unpacked/$folder/libsqlite3.a" "$out"
