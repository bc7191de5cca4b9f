#!/bin/sh
# iso.sh OUT [ARCH [WORDS...]] - makes a bootable image with GRUB
#
#   tools/iso.sh build/tollgate.iso
#       the general one: both kernels and the menu of tools/grub.cfg, for CD and USB stick,
#       BIOS and UEFI
#   tools/iso.sh /tmp/quick.iso amd64 suite=toll samples=10
#       one kernel with these words on its command line, for a CD and a BIOS only, no menu, no
#       delay: for Bochs, which has no other way to get them
#
# The kernels are in $BUILD (default: build), as made by `make`; for the quick image KERNEL and
# INITRD can name other files. For the general image WORDS are defaults of the kernel's command line
# in the menu (then=stop: for an unattended machine). The same input gives the same bytes, dated
# $SOURCE_DATE_EPOCH (default: 2020). Exit status: 0, 2 usage, 4 a tool or a kernel is missing.
set -eu

fail() { # STATUS SENTENCE
        echo "iso.sh: $2" >&2
        exit "$1"
}

here=$(dirname "$0")/..
grub=/usr/lib/grub
build=${BUILD-$here/build}
[ $# -ge 1 ] || fail 2 "usage: tools/iso.sh OUT [ARCH [WORDS...]]"
out=$(realpath -m "$1")
shift
arch=${1-}
[ $# -eq 0 ] || shift
case $arch in
'' | i386 | amd64) ;;
*) fail 2 "there is no kernel for \`$arch'; choose i386 or amd64" ;;
esac
for tool in grub-mkimage xorriso mformat mcopy xz; do
        command -v $tool >/dev/null || fail 4 "$tool is missing; make setup installs it"
done
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH-1577836800}
export SOURCE_DATE_EPOCH

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
root=$stage/root
mkdir -p "$root/boot/grub"

add() { # ARCH KERNEL INITRD: puts them into /boot/ARCH, without debug information
        [ -f "$2" ] && [ -f "$3" ] || fail 4 "$2 or $3 is missing; make builds them"
        mkdir "$root/boot/$1"
        objcopy --strip-debug "$2" "$root/boot/$1/kernel.elf"
        cp "$3" "$root/boot/$1/initrd.cpio"
}

quoted() { # WORD, quoted for GRUB
        printf " '%s'" "$(printf %s "$1" | sed "s/'/'\\\\''/g")"
}

# GRUB looks for its menu on the medium from which it was loaded; on UEFI, in a partition there.
cat >"$stage/find.cfg" <<'END'
search --file --set=root /boot/grub/grub.cfg
set prefix=($root)/boot/grub
END
image() { # PLATFORM OUT MODULES...: makes GRUB itself, with all modules that it needs
        platform=$1 file=$2
        shift 2
        grub-mkimage -O "$platform" -d "$grub/$platform" -p /boot/grub -c "$stage/find.cfg" \
                -o "$file" iso9660 normal search search_fs_file "$@" ||
                fail 4 "GRUB's modules for $platform are missing; make setup installs them"
}

if [ "$arch" ]; then
        add "$arch" "${KERNEL-$build/$arch/kernel.elf}" "${INITRD-$build/$arch/initrd.cpio}"
        line=
        for word; do
                line=$line$(quoted "$word")
        done
        printf 'multiboot /boot/%s/kernel.elf%s\nmodule /boot/%s/initrd.cpio\nboot\n' \
                "$arch" "$line" "$arch" >"$root/boot/grub/grub.cfg"
        image i386-pc "$stage/core.img" biosdisk multiboot
        hybrid=
else
        for arch in i386 amd64; do
                add $arch "$build/$arch/kernel.elf" "$build/$arch/initrd.cpio"
                # GRUB's xzio must unpack it within 16 MiB, and a dictionary takes memory.
                xz --check=crc32 --lzma2=dict=1MiB "$root/boot/$arch/initrd.cpio"
        done
        {
                [ -z "${WORDS-}" ] || printf 'set words=%s\n' "$(quoted "$WORDS" | cut -c2-)"
                PYTHONPATH=$here/tools python3 -m tollgate.suite_lists grub
        } >"$root/boot/grub/grub.cfg"
        menu="all_video cpuid echo xzio multiboot multiboot2 serial smbios terminal test"
        # shellcheck disable=SC2086
        image i386-pc "$stage/core.img" biosdisk $menu vbe
        # shellcheck disable=SC2086
        image x86_64-efi "$stage/bootx64.efi" part_gpt part_msdos $menu efi_gop efi_uga
        truncate -s 1440K "$stage/efi.img" # mformat -C of 4.0.43 adds bytes of its memory
        mformat -f 1440 -N 70117a7e -i "$stage/efi.img" ::
        mmd -i "$stage/efi.img" ::/EFI ::/EFI/BOOT
        mcopy -i "$stage/efi.img" "$stage/bootx64.efi" ::/EFI/BOOT/BOOTX64.EFI
        hybrid="--grub2-mbr $grub/i386-pc/boot_hybrid.img
                -append_partition 2 0xef $stage/efi.img -appended_part_as_gpt
                -eltorito-alt-boot -e --interval:appended_partition_2:all:: -no-emul-boot"
fi
cat "$grub/i386-pc/cdboot.img" "$stage/core.img" >"$root/boot/grub/cd.img"
cp "$here/LICENSE" "$root/"
find "$root" -exec chmod u=rwX,go=rX {} + -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +

mkdir -p "$(dirname "$out")"
# shellcheck disable=SC2086
xorriso -as mkisofs -quiet -V TOLLGATE -R -uid 0 -gid 0 -b boot/grub/cd.img -no-emul-boot \
        -boot-load-size 4 -boot-info-table --grub2-boot-info $hybrid -o "$out" "$root" \
        >"$stage/log" 2>&1 || {
        cat "$stage/log" >&2
        fail 4 "xorriso failed; its message stands above"
}
