/* pty.h - pseudo-terminals: pairs of files. Data written to the master are typed at the slave,
 * which is a terminal. The master reads the slave's output and echoes (pts(4)). */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#define PTYS_MOST 64                              /* two pages each */
#define PTY_DEVICE(number) (136u << 8 | (number)) /* st_rdev of a slave, as on Linux */

struct file;
struct file_kind;
struct pty;

extern const struct file_kind pty_master_kind, pty_slave_kind;

/* A pair that has a master, NULL = none; the next one's number from `number` on, or -1. */
struct pty *pty_find(unsigned number);
int pty_next(unsigned number);
bool pty_has_group(uint32_t number); /* in front of any terminal */

int pty_open_master(struct file *file);                 /* a new pair. 0, -ENOSPC, -ENOMEM */
int pty_open_slave(struct file *file, struct pty *pty); /* 0, or -EIO: locked */
int terminal_open(struct file *file); /* /dev/tty: the process's terminal, -ENXIO if none */
