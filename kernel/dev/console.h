/* console.h - what people and programs read: serial and screen. */
#ifndef TOLLGATE_CONSOLE_H
#define TOLLGATE_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>

/* Text goes to serial and screen; a line that starts with `@{`, a record, to serial only. */
void console_write(const char *text, size_t count);
void console_text(const char *text, size_t count); /* never a record: what a person types */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
unsigned console_records(void); /* records written since boot */

/* Stops the machine. Status as the host reads it (docs/records.md). */
#define QUIT_PASS 0x10
#define QUIT_FAIL 0x11
#define QUIT_PANIC 0x12
_Noreturn void quit(unsigned char status);
/* Resets the machine: its loader starts again. */
_Noreturn void reset(void);
/* Says why the boot cannot go on and what to do, and stops with QUIT_PANIC. */
_Noreturn void refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
