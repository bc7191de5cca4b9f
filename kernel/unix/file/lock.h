/* lock.h - record locks. Those of fcntl() belong to a process and end when it closes the file by
 * any descriptor. Those of F_OFD_SETLK and flock() belong to the open file. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct file;
struct files;

/* Part of struct files and struct file. Zeroed = no locks. */
struct lock_owner {
        uint16_t locks;
};

/* fcntl() commands for locks; `large`: a call that also takes 64-bit structures from 32-bit
 * programs. -EINVAL for any other command. */
long lock_command(struct file *file, long fd, unsigned command, uintptr_t at, bool large);
/* Removes all its locks on that file. */
void locks_forget(struct lock_owner *owner, const struct file *file);
