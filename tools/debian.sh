#!/bin/sh
# debian.sh ARCH PACKAGE FILE OUT - copies a file of a Debian package, for amd64 or i386, to OUT
#
# FILE as in the package, without the leading slash; TRIPLET in it means the architecture's. Uses
# the installed file if the package has that architecture. For the other width it fetches the same
# version of the package without installing it, so the system needs no second architecture. Its
# lists for apt are in a separate folder; the package stays in ~/.cache. Exit status: 0 success, 4
# failure, with the reason.
set -eu

arch=$1 name=$2 file=$3 out=$4
case $arch in
i386) file=$(echo "$file" | sed s/TRIPLET/i386-linux-gnu/) ;;
amd64) file=$(echo "$file" | sed s/TRIPLET/x86_64-linux-gnu/) ;;
*) echo "debian.sh: there is no $arch" >&2 && exit 2 ;;
esac
cache=${XDG_CACHE_HOME:-${HOME:-/var/cache}/.cache}/tollgate

fail() {
    echo "setup: $name for $arch is missing: $*; by hand, put Debian's package of $arch into
$cache as $package" >&2
    exit 4
}

mkdir -p "$(dirname "$out")"
if { [ "$file" != "$3" ] && [ -f "/$file" ]; } ||
    dpkg-query -L "$name:$arch" 2>/dev/null | grep -qx "/$file"; then
    cp "/$file" "$out"
    exit 0
fi
# Both widths use the same version: that of the installed package.
version=$(dpkg-query -W -f '${Version}' "$name" 2>/dev/null || true)
package=${name}_$(echo "$version" | sed s/:/%3a/)_$arch.deb
[ -n "$version" ] || fail "$name is not installed"
state=$(mktemp -d)
trap 'rm -rf "$state"' EXIT
if [ ! -f "$cache/$package" ]; then
    mkdir -p "$cache" 2>/dev/null ||
        { echo "setup: $cache cannot be made; set XDG_CACHE_HOME to a folder that you may write to" >&2 && exit 4; }
    mkdir -p "$state/lists/partial" "$state/archives/partial"
    for verb in update "download $name=$version"; do
        # shellcheck disable=SC2086
        (cd "$state" && apt-get -q -o APT::Architecture="$arch" -o APT::Architectures::="$arch" \
            -o Dir::State="$state" -o Dir::State::status=/dev/null -o Dir::Cache="$state" \
            -o Acquire::Languages=none -o APT::Sandbox::User= $verb) >"$state/log" 2>&1 || true
    done
    mv "$state/${name}_"*.deb "$cache/$package" 2>/dev/null ||
        fail "apt says: $(tail -n 1 "$state/log")"
fi
dpkg-deb -x "$cache/$package" "$state/unpacked" || fail "$cache/$package is damaged"
cp "$state/unpacked/$file" "$out"
