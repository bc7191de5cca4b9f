/* fs.h - a program's directories, and the mask for the files that it makes. */
#ifndef TOLLGATE_UNIX_FILE_FS_H
#define TOLLGATE_UNIX_FILE_FS_H

struct node;

/* Shared by threads (CLONE_FS), copied by fork. */
struct fs {
        unsigned users;
        unsigned umask;
        struct node *directory; /* the current one, NULL = / */
};

struct fs *fs_create(void); /* in /, umask 022. NULL = out of memory */
struct fs *fs_copy(const struct fs *from);
void fs_release(struct fs *fs); /* one user less; the last one frees it */

#endif
