#!/bin/sh
# disk.sh IMAGE [PROGRAM [FILES]] - makes the disk for a bench and `make run`: an ext2 file system of
# 1 MiB with one file of each kind, and a program. Its files stay in the folder FILES if that is
# given: one of them is sparse, and a copy of it may take 5 GB. The same input gives the same bytes:
# no times, no owners.
set -eu
PATH=$PATH:/usr/sbin:/sbin
image=$(realpath -m "$1") program=${2-}
files=${3-$image.files}
rm -rf "$files" "$image"
mkdir -p "$files/bin" "$files/names"
cp "$(dirname "$0")/../LICENSE" "$files/LICENSE"
[ -z "$program" ] || { cp "$program" "$files/bin/true" && strip "$files/bin/true"; }
: >"$files/empty"
seq -f %07.0f 0 38399 >"$files/numbers" # line n is at byte 8n; the last needs two levels of tables
ln -s LICENSE "$files/link"
ln -s "./././././././././././././././././././././././././././././././././names/../LICENSE" "$files/far"
ln -s nowhere "$files/lost"
ln -s names "$files/to-names"
i=0
while [ $i -lt 60 ]; do # more than one block of them
        : >"$files/names/a-name-of-some-length-$i"
        i=$((i + 1))
done
# Bytes that contain their own offset, one for each number of levels of tables; then holes.
for at in 0 20000 400000 80000000 5000000000; do
        printf %016d $at | dd of="$files/holes" bs=1 seek=$at conv=notrunc status=none
done
chmod -R u=rwX,go=rX "$files"
find "$files" -exec touch -h -d @0 {} +
E2FSPROGS_FAKE_TIME=1 mke2fs -q -F -t ext2 -b 1024 -I 128 -N 128 -m 0 -O none,filetype,sparse_super,large_file \
        -U 70117a7e-0000-4000-8000-000000000000 -E hash_seed=70117a7e-0000-4000-8000-000000000000,root_owner=0:0 \
        -L tollgate -d "$files" "$image" 1024 >"$image.log" 2>&1 || { cat "$image.log" >&2; exit 4; }
# Removes the creator as owner, and the time.
find "$files" -mindepth 1 -printf '%P\n' | LC_ALL=C sort | while read -r name; do
        for field in uid gid ctime atime mtime; do
                echo "set_inode_field /$name $field 0"
        done
done >"$files.commands"
E2FSPROGS_FAKE_TIME=1 debugfs -w -f "$files.commands" "$image" >/dev/null 2>&1
rm "$files.commands" "$image.log"
[ $# -gt 2 ] || rm -r "$files"
