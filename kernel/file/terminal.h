/*
 * terminal.h - the terminal: what is typed becomes lines, signals, or bytes as they come (termios).
 */
#ifndef TOLLGATE_FILE_TERMINAL_H
#define TOLLGATE_FILE_TERMINAL_H

#include <stddef.h>
#include <stdint.h>

struct file;
struct poll;

/* Takes what the devices have buffered (dev/input.h). In process context or in the idle loop; wakes
 * readers, sends signals, echoes. */
void terminal_service(void);

/* The process group that ^C and ^\ are for; 0 = none. */
void terminal_set_group(uint32_t group);

long terminal_read(struct file *file, uintptr_t to, size_t size);
unsigned terminal_poll(struct file *file, struct poll *poll);
long terminal_control(unsigned long request, uintptr_t argument); /* ioctl */

#endif
