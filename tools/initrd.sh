#!/bin/sh
# initrd.sh ARCHIVE NAME=[FOLDER|FILE]... - makes the initrd: the folder's files, or the
# file, or nothing, in a folder of that name, as a cpio archive in the crc format (every file with
# its checksum). Programs go in without symbols: gdb reads build/. Reproducible: no times, no
# owners. Its file sha256 is the SHA-256 of what `sha256sum` says of the others, by their names:
#
#       cpio -id < ARCHIVE; find . -type f ! -name sha256 | LC_ALL=C sort | xargs sha256sum | sha256sum
set -eu
archive=$(realpath -m "$1")
shift
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
for pair in "$@"; do
        to=$stage/${pair%%=*} from=${pair#*=}
        mkdir -p "$to"
        if [ -d "$from" ]; then
                cp "$from"/* "$to/"
        elif [ "$from" ]; then
                cp "$from" "$to/"
        fi
done
cd "$stage"
find . -type f ! -path './pages/*' -exec strip {} +
find . -type f ! -name sha256 | LC_ALL=C sort | xargs sha256sum | sha256sum | cut -c1-64 | tr -d '\n' > sha256
find . -exec touch -h -d @0 {} +
find . -mindepth 1 | sed 's,^\./,,' | LC_ALL=C sort |
        cpio --quiet --reproducible -R 0:0 -o -H crc > "$archive"
