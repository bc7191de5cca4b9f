/* console.h - what people and programs read: serial and screen. */
#ifndef TOLLGATE_CORE_MACHINE_CONSOLE_H
#define TOLLGATE_CORE_MACHINE_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>

/* Text of programs and echoed keys, to serial line and screen. False = nothing is written, because
 * it would begin a record (`@{`), alone or with the text before it. */
bool console_write(const char *text, size_t count);
bool console_may_write(const char *text, size_t count); /* it would not */
/* One record, on a serial line of its own. False = a second one begins in it. */
bool console_record(const char *line, size_t count);
/* A sentence of the kernel's, which begins a line of its own. Strings that it is given may be
 * anybody's: they come out as characters that can be printed, and in one line. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void console_begin(void);       /* a run: its records are counted and kept from here on */
unsigned console_records(void); /* records written since then */
/* Text on the serial line alone, or a piece of what console_record() has written, once more. Before
 * the first an empty one, which begins a line. */
void console_again(const char *piece, size_t count);

/* Stops the machine. Status as the host reads it (docs/records.md). */
#define QUIT_PASS 0x10
#define QUIT_FAIL 0x11
#define QUIT_PANIC 0x12
#define QUIT_NOISY 0x13
_Noreturn void quit(unsigned char status);
/* Whether that powers a machine off which has no other way to stop. A person would lose what is on
 * the screen: without it (NULL) the machine halts. */
void quit_powers_off(void (*off)(void));
/* Says why the boot cannot go on and what to do, and stops with QUIT_PANIC. */
_Noreturn void refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
