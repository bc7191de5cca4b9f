/*
 * lock.h - record locks: fcntl()'s of a process, which any close of the file by it takes away;
 * those of an open file (F_OFD_SETLK), and flock()'s, which go with that.
 */
#ifndef TOLLGATE_UNIX_FILE_LOCK_H
#define TOLLGATE_UNIX_FILE_LOCK_H

#include <stdbool.h>
#include <stdint.h>

struct file;
struct files;

/* In struct files, and in struct file. Zeroed = it has none. */
struct lock_owner {
        uint16_t locks;
};

/* fcntl() of locks; `large`: of a call whose 32-bit programs may have the structures of 64. -EINVAL
 * for any other command. */
long lock_command(struct file *file, long fd, unsigned command, uintptr_t at, bool large);
/* After execve() they are those of the same process: its descriptors' table is a new one. */
void locks_pass(struct files *from, struct files *to);
/* All that it has on that file go. */
void locks_forget(struct lock_owner *owner, const struct file *file);

#endif
