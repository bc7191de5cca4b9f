/* initrd.h - the initrd, the initial file tree: a cpio archive in the "crc" format (magic 070702),
 * which the loader passes as a module. Every file's checksum is verified when the initrd is opened.
 * Needs no hardware: also built on the host for tests. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct initrd {
        const uint8_t *data;
        size_t size;
};

struct initrd_file {
        const char *name; /* without a leading slash, or with ./ */
        uint32_t mode;    /* st_mode */
        const uint8_t *data;
        size_t size;
};

/* The compression of the data, "xz" or "gzip"; NULL: none of these. */
const char *initrd_compressed(const void *data, size_t size);

/* NULL, or a sentence about the archive's fault. */
const char *initrd_open(struct initrd *initrd, const void *data, size_t size);

/* The entry at *at, which is advanced: 0 is the first. False = no more entries. */
bool initrd_next(const struct initrd *initrd, size_t *at, struct initrd_file *file);
