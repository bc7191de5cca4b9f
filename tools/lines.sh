#!/bin/sh
# lines.sh - makes debug information for the entry halves, by lines.awk
#
#   tools/lines.sh BUILD FORMAT DIRECTORY OBJECT...
#
# An OBJECT is MECHANISM.ORIGIN.COPY or MECHANISM.ORIGIN.SET.COPY; FORMAT elf32 or elf64; DIRECTORY
# the architecture's in kernel/core/arch. Writes BUILD/entry/lines.o. Each file is assembled
# unchanged, and once more with every macro .nolist; the bytes are the same.
set -eu
build=$1 format=$2 arch=$3
shift 3
plain=$build/entry/plain uses=$build/entry/nolist
mkdir -p "$plain" "$uses"
for file in kernel/core/arch/*.inc "$arch"/*.inc "$arch"/*/*.inc kernel/core/entry/*.inc kernel/core/entry/*/*.inc kernel/core/entry/*.asm; do
    mkdir -p "$uses/${file%/*}"
    sed -E 's/^(%i?macro +[A-Za-z_0-9]+ +[0-9*+-]+)( |$)/\1.nolist\2/' "$file" >"$uses/$file"
done

# assemble ROOT OUTPUT MECHANISM ORIGIN COPY [OPTION]
assemble() {
    nasm -f "$format" -g -F dwarf -w+error -DORIGIN="$4" -DCOPY="$5" ${6:+"$6"} -I"$1$arch/$4/" -I"$1$arch/" \
        -I"$1kernel/core/arch/" -I"$1kernel/" -I"$1kernel/core/entry/" -I"$build/" "$1kernel/core/entry/$3.asm" -o "$2"
}

for object; do
    mechanism=${object%%.*} copy=${object##*.} origin=${object#*.}
    origin=${origin%.*}
    set=${origin#*.} origin=${origin%%.*}
    [ "$set" = "$origin" ] && set= || set=-DSET=$set
    assemble "" "$plain/$object.o" "$mechanism" "$origin" "$copy" "$set"
    assemble "$uses/" "$uses/$object.o" "$mechanism" "$origin" "$copy" "$set"
    echo OBJECT
    readelf -W --debug-dump=decodedline "$plain/$object.o"
    echo USES
    readelf -W --debug-dump=decodedline "$uses/$object.o"
    echo SECTIONS
    readelf -rW "$plain/$object.o" | sed -n '/^Relocation.*debug_line/,/^$/p'
    echo SYMBOLS
    objdump -t "$plain/$object.o" | awk '$2 == "g" { print $1, $NF, $3 }'
    echo SOURCE
    cat "kernel/core/entry/$mechanism.asm"
done >"$build/entry/lines.txt"
case $format in
elf64) word=.quad bits=64 ;;
*) word=.long bits=32 ;;
esac
awk -f tools/lines.awk -v word=$word -v dir="$PWD" "$build/entry/lines.txt" >"$build/entry/lines.s"
as --$bits "$build/entry/lines.s" -o "$build/entry/lines.o"
