#!/bin/sh
# fetch.sh - fetches a source that is not in this tree: nayuki's QR code generator, in C
#
#   tools/fetch.sh          fetches its archive from Debian's pool, once for all trees of a person
#   tools/fetch.sh DIR      and unpacks the needed files into DIR
#
# The archive is pinned by its checksum, from any mirror. If it is there already, this prints
# nothing and needs no network. Exit status: 0 success, 4 failure, with the reason.
set -eu

ARCHIVE=qr-code-generator_1.8.0.orig.tar.gz
SUM=2ec0a4d33d6f521c942eeaf473d42d5fe139abcfa57d2beffe10c5cf7d34ae60
INSIDE=QR-Code-generator-1.8.0/c
PACKAGE=libqrcodegen-dev # built from the same source, so it is in the same folder of the pool
HELPER=/usr/lib/apt/apt-helper

cache=${XDG_CACHE_HOME:-${HOME:-/var/cache}/.cache}/tollgate

fail() {
    echo "setup: $ARCHIVE of Debian's source package qr-code-generator is missing: $*; by hand, put
it into $cache (its sha256 is $SUM)" >&2
    exit 4
}

# is_right FILE: whether it is the pinned archive.
is_right() {
    [ "$(sha256sum "$1" 2>/dev/null | cut -d' ' -f1)" = $SUM ]
}

# The pool's folder on apt's mirror.
pool() {
    apt-get --print-uris download $PACKAGE 2>/dev/null | sed -n "s,^'\(.*\)/[^/]*' .*,\1,p"
}

fetch() {
    command -v apt-get >/dev/null && [ -x $HELPER ] || fail "this system has no apt to fetch it"
    from=$(pool)
    if [ -z "$from" ] && [ "$(id -u)" -eq 0 ]; then
        apt-get update -q >/dev/null 2>&1 || true
        from=$(pool)
    fi
    [ -n "$from" ] || fail "apt knows no mirror of it; \`apt-get update\` (as root) and start again"
    mkdir -p "$cache" 2>/dev/null ||
        { echo "setup: $cache cannot be made; set XDG_CACHE_HOME to a folder that you may write to" >&2 && exit 4; }
    part=$cache/$ARCHIVE.$$
    $HELPER download-file "$from/$ARCHIVE" "$part" "SHA256:$SUM" >/dev/null 2>&1 ||
        { rm -f "$part" "$part".*; fail "apt could not fetch $from/$ARCHIVE with that sum"; }
    is_right "$part" || { rm -f "$part"; fail "what came from $from is another file"; }
    mv "$part" "$cache/$ARCHIVE"
}

is_right "$cache/$ARCHIVE" || fetch
if [ $# -gt 0 ]; then
    mkdir -p "$1"
    tar -xzf "$cache/$ARCHIVE" -C "$1" --strip-components=2 -m $INSIDE/qrcodegen.c $INSIDE/qrcodegen.h
fi
