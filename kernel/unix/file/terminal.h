/*
 * terminal.h - terminals: what is typed becomes lines, signals, or bytes as they come (termios).
 * The console is one, each pseudo-terminal another (file/pty.h).
 */
#ifndef TOLLGATE_UNIX_FILE_TERMINAL_H
#define TOLLGATE_UNIX_FILE_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "thread/schedule.h"

#define CONSOLE_DEVICE 0x501 /* st_rdev of /dev/console: Linux's number */
#define BACKSPACE 8          /* erases, whatever VERASE says: keyboards disagree */

struct file;
struct poll;
struct process;

enum {
        VINTR,
        VQUIT,
        VERASE,
        VKILL,
        VEOF,
        VTIME,
        VMIN,
        CONTROLS = 19
};

/* Linux's struct termios of the kernel, the same for programs of 32 and 64 bits. */
struct termios {
        uint32_t input, output, control, local;
        uint8_t line;
        uint8_t of[CONTROLS];
};
_Static_assert(sizeof(struct termios) == 36, "termios");

/* Bytes that can be read. A mark says that a line ends with this entry; alone it is the end of the
 * file. */
#define TERMINAL_READY 1024
#define TERMINAL_EDIT 256 /* the longest line */

struct terminal {
        struct terminal *next; /* in the list of all */
        uint32_t device;       /* st_rdev */
        /* Writes and echoes text; false = there was no room. */
        bool (*put)(struct terminal *terminal, const char *text, size_t size);
        struct termios termios;
        uint16_t size[4]; /* rows, columns, pixels */
        unsigned ready_in, ready_out, lines, edit_size;
        struct waiters readers;
        uint32_t session, foreground; /* its session; 0 = none */
        bool gone;                    /* its other side has closed it */
        uint8_t edit[TERMINAL_EDIT];
        uint16_t ready[TERMINAL_READY];
};

extern struct terminal console_terminal;
void terminal_init(struct terminal *terminal); /* as a new one is; it is in the list of all */
void terminal_forget(struct terminal *terminal);

/* Takes the bytes that the devices have buffered (dev/input.h). In process context or in the idle
 * loop; wakes readers, sends signals, echoes. */
void terminal_service(void);
void terminal_take(struct terminal *terminal, uint8_t c); /* is typed */
bool terminal_has_room(const struct terminal *terminal);  /* for a typed byte of any kind */

/* A terminal is that of a session, and ^C and ^\ are for one of its process groups. */
void terminal_give(struct terminal *terminal,
                   const struct process *leader); /* its group is in front
                                                   */
/* A process's terminal, NULL = none; the current one's. */
struct terminal *terminal_of(const struct process *process);
bool terminal_is_ours(const struct terminal *terminal);
/* A session's leader ends: its terminal is nobody's, and the foreground group gets SIGHUP. */
void terminal_hang_up(const struct process *leader);
void terminal_close(struct terminal *terminal); /* by its other side: the same, and nobody reads */

long terminal_read(struct terminal *terminal, struct file *file, uintptr_t to, size_t size);
long terminal_waiting(const struct terminal *terminal); /* bytes to read */
unsigned terminal_poll(struct terminal *terminal, struct poll *poll);
/* ioctl. `outside`: by the other side of a pseudo-terminal, whose session does not matter. */
long terminal_control(struct terminal *terminal, unsigned long request, uintptr_t argument,
                      bool outside);

/* Shared by terminal.c and terminal_control.c */
void terminal_edit_done(struct terminal *terminal); /* the edited line can be read as it is */
void terminal_flush(struct terminal *terminal);

#endif
