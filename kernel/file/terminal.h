/*
 * terminal.h - the terminal: what is typed becomes lines, signals, or bytes as they come (termios).
 */
#ifndef TOLLGATE_FILE_TERMINAL_H
#define TOLLGATE_FILE_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONSOLE_DEVICE 0x501 /* st_rdev of /dev/console: Linux's number */

struct file;
struct poll;

/* Takes what the devices have buffered (dev/input.h). In process context or in the idle loop; wakes
 * readers, sends signals, echoes. */
void terminal_service(void);

struct process;

/* The terminal is that of a session, and ^C and ^\ are for one of its process groups. */
void terminal_give(const struct process *leader); /* to its session, and its group is in front */
/* The number of a process's terminal (st_rdev), and the group in front; 0 and -1: it has none. */
uint32_t terminal_of(const struct process *process, int32_t *front);
bool terminal_is_ours(void); /* of the current process's session */
/* A session's leader ends: the terminal is nobody's, who was in front is told (SIGHUP). */
void terminal_hang_up(const struct process *leader);

int terminal_open(struct file *file); /* /dev/tty: -ENXIO where a session has no terminal */
long terminal_read(struct file *file, uintptr_t to, size_t size);
unsigned terminal_poll(struct file *file, struct poll *poll);
long terminal_control(unsigned long request, uintptr_t argument); /* ioctl */

#endif
