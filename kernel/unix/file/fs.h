/* fs.h - a program's directories, and its mask for new files. */
#pragma once
struct node;

/* Shared by threads (CLONE_FS), copied by fork. */
struct fs {
        unsigned users;
        unsigned umask;
        struct node *directory; /* current directory, NULL = / */
};

struct fs *fs_create(void); /* starts at /, umask 022. NULL = out of memory */
struct fs *fs_copy(const struct fs *from);
void fs_release(struct fs *fs); /* removes a user; the last one frees it */
