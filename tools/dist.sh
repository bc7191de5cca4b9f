#!/bin/sh
# dist.sh FOLDER - what a release needs, of the commit that is checked out: the ISO, both kernels with
# their symbols, their initrds, the source, the records of a bench with the name of each boot, the book, a bill of
# materials (SPDX 2.3), what an archive such as Zenodo asks for, and the sums of all of them
#
# The same commit with the same packages gives the same bytes, wherever the tree lies. $BUILD holds what
# was built (default: build). Exit status: 0, 2 usage, 4 something is missing or not committed.
set -eu

fail() { # STATUS SENTENCE
        echo "dist.sh: $2" >&2
        exit "$1"
}

[ $# -eq 1 ] || fail 2 "usage: tools/dist.sh FOLDER"
here=$(dirname "$0")/..
build=${BUILD-$here/build}
commit=$(git -C "$here" rev-parse HEAD 2>/dev/null) || fail 4 "a release is a commit, and this tree has none"
[ -z "$(git -C "$here" status --porcelain)" ] ||
        fail 4 "the tree is not the commit: commit or take back what \`git status' names"
version=$(sed -n 's/^#define VERSION "\(.*\)"$/\1/p' "$here/kernel/version.h")
SOURCE_DATE_EPOCH=$(git -C "$here" log -1 --format=%ct)
export SOURCE_DATE_EPOCH
umask 022
mkdir -p "$1"
out=$(realpath "$1")
rm -f "$out"/tollgate-* "$out"/SHA256SUMS "$out"/CITATION.cff "$out"/.zenodo.json
name=$out/tollgate-$version

BUILD=$build "$here/tools/iso.sh" "$name.iso"
for arch in i386 amd64; do
        [ -f "$build/$arch/kernel.elf" ] || fail 4 "$build/$arch/kernel.elf is missing; make builds it"
        objcopy --strip-debug "$build/$arch/kernel.elf" "$name-$arch.elf" # its paths are the builder's
        cp "$build/$arch/initrd.cpio" "$name-$arch.cpio"
done
git -C "$here" archive --format=tar --prefix="tollgate-$version/" HEAD | gzip -9n >"$name-source.tar.gz"
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
TOLLGATE_BUILD=$(realpath "$build")
export TOLLGATE_BUILD
"$here/.venv/bin/tollgate" bench --out="$stage/bench" >"$stage/said" || fail 4 "the bench has failed: $(tail -1 "$stage/said")"
cp "$stage/bench/results.jsonl" "$name-results.jsonl"
"$here/.venv/bin/python" -m tollgate.image --runs "$name-results.jsonl" >"$name-runs.txt"
"$here/.venv/bin/tollgate" book --out="$stage/book"
tar -C "$stage" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -cf - book |
        gzip -9n >"$name-book.tar.gz"
"$here/.venv/bin/python" -m tollgate.bill "$commit" "$version" "$name.spdx.json" \
        "$name.iso" "$name-i386.elf" "$name-amd64.elf" "$name-i386.cpio" "$name-amd64.cpio" \
        "$name-results.jsonl" "$name-book.tar.gz" "$name-source.tar.gz"
cp "$here/CITATION.cff" "$out/CITATION.cff"
"$here/.venv/bin/python" -m tollgate.cite "$commit" "$version" "$SOURCE_DATE_EPOCH" >"$out/.zenodo.json"
(cd "$out" && sha256sum tollgate-* CITATION.cff .zenodo.json >SHA256SUMS)
cat "$out/SHA256SUMS"
