#!/bin/sh
# v86.sh DIR - fetches v86, an x86 PC in WebAssembly, from npm: the files for a page, as DIR
#
# The archive is pinned by its checksum, from any registry. It stays in ~/.cache, so this needs the
# network once. Exit status: 0 success, 4 failure, with the reason.
set -eu

VERSION=0.5.462
ARCHIVE=v86-$VERSION.tgz
SUM=1384ad8bbe80aa4f6cd43f43bd16ddbd7495931df833f038a27fcdc8b9a31351

cache=${XDG_CACHE_HOME:-${HOME:-/var/cache}/.cache}/tollgate

fail() {
    echo "setup: $ARCHIVE of npm is missing: $*; by hand, put it into $cache (its sha256 is $SUM)" >&2
    exit 4
}

# is_right FILE: whether it is the pinned archive.
is_right() {
    [ "$(sha256sum "$1" 2>/dev/null | cut -d' ' -f1)" = $SUM ]
}

fetch() {
    command -v npm >/dev/null || fail "npm is not installed (tools/setup.sh browser)"
    mkdir -p "$cache" 2>/dev/null ||
        { echo "setup: $cache cannot be made; set XDG_CACHE_HOME to a folder that you may write to" >&2 && exit 4; }
    part=$(mktemp -d "$cache/v86.XXXXXX")
    trap 'rm -rf "$part"' EXIT
    npm pack --silent --pack-destination "$part" v86@$VERSION >"$part/said" 2>&1 ||
        fail "npm says: $(tail -n 1 "$part/said")"
    is_right "$part/$ARCHIVE" || fail "what npm fetched is another file"
    mv "$part/$ARCHIVE" "$cache/$ARCHIVE"
}

is_right "$cache/$ARCHIVE" || fetch
mkdir -p "$1"
tar -xzf "$cache/$ARCHIVE" -C "$1" --strip-components=1 -m package/LICENSE
tar -xzf "$cache/$ARCHIVE" -C "$1" --strip-components=2 -m package/build/libv86.js package/build/v86.wasm
