#!/bin/sh
# dist.sh FOLDER - what a release needs, of the commit that is checked out: what boots, the records of a
# bench with the name of each boot, the source, the book, the page that boots in
# a browser, CITATION.cff, and the sums of all of them
# dist.sh FOLDER boot - of the tree as it is, what boots alone: the ISO, both kernels with their symbols,
# amd64's as ELF32, too, for loaders that take no other, and their initrds as they are and as .xz
#
# The same commit with the same packages gives the same bytes, wherever the tree lies. $BUILD holds what
# was built (default: build). Exit status: 0, 2 usage, 4 something is missing or not committed.
set -eu

fail() { # STATUS SENTENCE
        echo "dist.sh: $2" >&2
        exit "$1"
}

[ $# -eq 1 ] || [ "$#${2-}" = 2boot ] || fail 2 "usage: tools/dist.sh FOLDER [boot]"
here=$(dirname "$0")/..
build=${BUILD-$here/build}
if [ $# -eq 1 ]; then
        commit=$(git -C "$here" rev-parse HEAD 2>/dev/null) || fail 4 "a release is a commit, and this tree has none"
        [ -z "$(git -C "$here" status --porcelain)" ] ||
                fail 4 "the tree is not the commit: commit or take back what \`git status' names"
        SOURCE_DATE_EPOCH=$(git -C "$here" log -1 --format=%ct)
        export SOURCE_DATE_EPOCH
fi
version=$(sed -n 's/^#define VERSION "\(.*\)"$/\1/p' "$here/kernel/version.h")
umask 022
mkdir -p "$1"
out=$(realpath "$1")
rm -f "$out"/tollgate-* "$out"/SHA256SUMS "$out"/CITATION.cff
name=$out/tollgate-$version

BUILD=$build "$here/tools/iso.sh" "$name.iso"
for arch in i386 amd64; do
        [ -f "$build/$arch/kernel.elf" ] || fail 4 "$build/$arch/kernel.elf is missing; make builds it"
        objcopy --strip-debug "$build/$arch/kernel.elf" "$name-$arch.elf" # its paths are the builder's
        cp "$build/$arch/initrd.cpio" "$name-$arch.cpio"
        xz --keep --check=crc32 --lzma2=dict=1MiB "$name-$arch.cpio"
done
objcopy -O elf32-i386 "$name-amd64.elf" "$name-amd64-elf32.elf"
[ $# -eq 1 ] || exit 0
git -C "$here" archive --format=tar --prefix="tollgate-$version/" HEAD | gzip -9n >"$name-source.tar.gz"
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
TOLLGATE_BUILD=$(realpath "$build")
export TOLLGATE_BUILD
"$here/.venv/bin/tollgate" bench --out="$stage/bench" >"$stage/said" || fail 4 "the bench has failed: $(tail -1 "$stage/said")"
cp "$stage/bench/results.jsonl" "$name-results.jsonl"
"$here/.venv/bin/python" -m tollgate.records.image --runs "$name-results.jsonl" >"$name-runs.txt"
make -s -C "$here" BUILD="${BUILD-build}" "${BUILD-build}/i386/browser.cpio" "${BUILD-build}/v86/v86.wasm" >&2
"$here/.venv/bin/tollgate" book --out="$stage/book"
tar -C "$stage" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -cf - book |
        gzip -9n >"$name-book.tar.gz"
"$here/.venv/bin/tollgate" browser --out="$stage/browser" >"$stage/said" || fail 4 "$(tail -1 "$stage/said")"
cp "$stage/browser/index.html" "$name.html"
cp "$stage/browser/LICENSES.txt" "$name-html-licenses.txt"
cp "$here/CITATION.cff" "$out/CITATION.cff"
(cd "$out" && sha256sum tollgate-* CITATION.cff >SHA256SUMS)
cat "$out/SHA256SUMS"
