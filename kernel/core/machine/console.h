/* console.h - text and records for people and programs: serial and screen. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* Writes text of programs and echoed keys, to serial line and screen. False = nothing was written,
 * because it would begin a record (`@{`), alone or with the text before it. */
bool console_write(const char *text, size_t count);
bool console_may_write(const char *text, size_t count); /* false if it would begin a record */
/* Writes a record on a serial line of its own. False = it contains the start of a second one. */
bool console_record(const char *line, size_t count);
/* Prints a sentence of the kernel, on a line of its own. Its string arguments may come from a
 * program: they are printed on one line, in printable characters. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void console_begin(void);        /* a run: its records are counted and kept from now on */
extern unsigned console_records; /* records written since then */
/* Repeats on the serial line a text, or a piece of a record that console_record() wrote. Send an
 * empty one first: it begins a line. */
void console_again(const char *piece, size_t count);

/* Stops the machine. The host reads the status (docs/records.md). */
#define QUIT_PASS 0x10
#define QUIT_FAIL 0x11
#define QUIT_PANIC 0x12
#define QUIT_NOISY 0x13
_Noreturn void quit(unsigned char status);
/* Sets how to power off a machine that has no other way to stop. NULL: the machine halts, so that a
 * person can still read the screen. */
extern void (*quit_power_off)(void);
/* Prints why the boot cannot continue and what to do, and stops with QUIT_PANIC. */
_Noreturn void refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));
