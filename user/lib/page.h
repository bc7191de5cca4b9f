/* page.h - text pages on the screen, by /dev/tty1 (kernel/dev/screen.h). Lines are cut at the edge,
 * and the kernel draws only changes. Nothing goes to the serial line. */
#pragma once
#include <stdbool.h>

extern unsigned page_rows, page_columns; /* 0: no screen */

bool page_open(void);      /* false = no screen */
int page_descriptor(void); /* of /dev/tty1 */
void page_begin(void);     /* starts a page of the whole screen, without lines */
/* Writes the next line; the second inverts it from edge to edge. */
void page_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
void page_title(const char *format, ...) __attribute__((format(printf, 1, 2)));
void page_last(const char *format, ...) __attribute__((format(printf, 1, 2))); /* at the bottom */
unsigned page_left(void); /* lines before the last one */
void page_wipe(void);     /* blanks the screen and gives it back to the console */
