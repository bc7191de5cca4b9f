/* boot.h - the loader's information, the same for Multiboot 1 and 2. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "arch.h"
#include "map.h"

#define BOOT_LINE 1024

enum boot_screen_kind {
        SCREEN_NONE,
        SCREEN_OTHER, /* there is one, of an unknown kind */
        SCREEN_TEXT,
        SCREEN_PIXELS
};

/* Position of a colour in a pixel, in bits. */
struct screen_colour {
        uint8_t offset, length;
};

struct boot_screen {
        enum boot_screen_kind kind;
        uint64_t address; /* physical */
        uint32_t pitch;   /* bytes per line */
        uint32_t width, height;
        uint8_t bits;                    /* per pixel */
        struct screen_colour colours[3]; /* of a pixel: red, green, blue */
};

struct boot_info {
        char line[BOOT_LINE]; /* the command line, without the kernel's name */
        bool line_cut;        /* it was too long */
        char loader[64];
        const char *firmware; /* "multiboot1", "multiboot2 bios", "multiboot2 uefi" */
        struct boot_map memory;
        struct boot_range initrd; /* empty if there is none */
        size_t modules;
        struct boot_screen screen;
        uint64_t uefi;      /* the address of UEFI's system table */
        unsigned uefi_word; /* ... and the size of its pointers; 0 = no UEFI */
};

/* Reads the loader's information. NULL, or a sentence about its fault. */
const char *boot_read(struct boot_info *boot, uint32_t magic, uint32_t information);
