#!/bin/sh
# tree.sh ARCHIVE NAME=FOLDER... - makes the initial file tree: each folder under its name, as a
# cpio archive in the crc format (every file with its checksum). Reproducible: no times, no owners.
set -eu
archive=$(realpath -m "$1")
shift
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
for pair in "$@"; do
        mkdir -p "$stage/${pair%%=*}"
        cp "${pair#*=}"/* "$stage/${pair%%=*}/"
done
cd "$stage"
find . -exec touch -h -d @0 {} +
find . -mindepth 1 | sed 's,^\./,,' | LC_ALL=C sort |
        cpio --quiet --reproducible -R 0:0 -o -H crc > "$archive"
