/*
 * tree.h - the initial file tree: a cpio archive in the "crc" format (magic 070702), which the
 * loader passes as a module. Every file's checksum is verified when the tree is opened.
 * No machine needed: also built on the host for its tests.
 */
#ifndef TOLLGATE_FILE_TREE_H
#define TOLLGATE_FILE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tree {
        const uint8_t *data;
        size_t size;
};

struct tree_file {
        const char *name; /* without a leading slash, or with ./ */
        uint32_t mode;    /* st_mode */
        const uint8_t *data;
        size_t size;
};

/* NULL, or a sentence that says what is wrong with the archive. */
const char *tree_open(struct tree *tree, const void *data, size_t size);

/* The entry at *at, which moves on: 0 is the first. False = there is none left. */
bool tree_next(const struct tree *tree, size_t *at, struct tree_file *file);

#endif
