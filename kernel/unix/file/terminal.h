/* terminal.h - terminals: typed keys become lines, signals, or raw bytes (termios). The console is
 * one, and each pseudo-terminal is one (file/pty.h). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "thread/schedule.h"

#define CONSOLE_DEVICE 0x501 /* st_rdev of /dev/console: Linux's number */
#define BACKSPACE 8          /* always erases, whatever VERASE is: keyboards disagree */

struct file;
struct poll;
struct process;

enum { VINTR, VQUIT, VERASE, VKILL, VEOF, VTIME, VMIN, VSUSP = 10, CONTROLS = 19 };

/* Linux's kernel struct termios, the same for 32-bit and 64-bit programs. */
struct termios {
        uint32_t input, output, control, local;
        uint8_t line;
        uint8_t of[CONTROLS];
};
_Static_assert(sizeof(struct termios) == 36, "termios");

/* Readable bytes. A mark says that a line ends with this entry; a mark alone is the end of file. */
#define TERMINAL_READY 1024
#define TERMINAL_MARK 0x100
#define TERMINAL_END 0x200 /* of the file */
#define TERMINAL_EDIT 256  /* the longest line */

struct terminal {
        struct terminal *next; /* in the list of all terminals */
        uint32_t device;       /* st_rdev */
        /* Writes or echoes text; false = no room. */
        bool (*put)(struct terminal *terminal, const char *text, size_t size);
        struct termios termios;
        uint16_t size[4]; /* rows, columns, pixels */
        unsigned ready_in, ready_out, lines, edit_size;
        struct waiters readers;
        uint32_t session, foreground; /* its session; 0 = none */
        bool gone;                    /* the other side was closed */
        uint8_t edit[TERMINAL_EDIT];
        uint16_t ready[TERMINAL_READY];
};

extern struct terminal console_terminal;
void terminal_init(struct terminal *terminal); /* initial settings; adds it to the list */
void terminal_forget(struct terminal *terminal);

/* Handles bytes that the devices have buffered (dev/input.h), in process context or in the idle
 * loop: wakes readers, sends signals, echoes. */
void terminal_service(void);
void terminal_take(struct terminal *terminal, uint8_t c); /* is typed */
bool terminal_has_room(const struct terminal *terminal);  /* for any typed byte */

/* Assigns the terminal to a session, and to a process group for ^C and ^\. */
void terminal_give(struct terminal *terminal,
                   const struct process *leader); /* its group becomes the foreground */
/* A process's terminal, NULL = none; then the current process's. */
struct terminal *terminal_of(const struct process *process);
bool terminal_is_ours(const struct terminal *terminal);
/* A session leader ends, or leaves its terminal: the foreground group gets SIGHUP, even of a
 * terminal that was closed before. */
void terminal_hang_up(const struct process *leader);
/* Closed by its other side: the leader gets SIGHUP, and reads end. */
void terminal_close(struct terminal *terminal);

long terminal_read(struct terminal *terminal, struct file *file, uintptr_t to, size_t size);
unsigned terminal_poll(struct terminal *terminal, struct poll *poll);
/* ioctl. `outside`: called by a pseudo-terminal's master, regardless of its session. */
long terminal_control(struct terminal *terminal, unsigned long request, uintptr_t argument,
                      bool outside);

/* Shared by terminal.c and terminal_control.c */
void terminal_edit_done(struct terminal *terminal); /* makes the edited line readable */
void terminal_mode_changes(struct terminal *terminal);
void terminal_flush(struct terminal *terminal);
