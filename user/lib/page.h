/*
 * page.h - pages on the screen, by /dev/tty1 (kernel/dev/screen.h): whole lines, which are cut at
 * its edge, and only what changes is drawn by the kernel. The serial line has nothing of them.
 */
#ifndef TOLLGATE_USER_LIB_PAGE_H
#define TOLLGATE_USER_LIB_PAGE_H

#include <stdbool.h>

extern unsigned page_rows, page_columns; /* 0: there is no screen */

bool page_open(void);      /* false = there is no screen */
int page_descriptor(void); /* of /dev/tty1 */
void page_begin(void);     /* the whole screen is a page, which has no line yet */
void page_end(void);       /* it is drawn; lines that it does not have are blank */
/* The next line; or one that is inverse from edge to edge. */
void page_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
void page_title(const char *format, ...) __attribute__((format(printf, 1, 2)));
void page_last(const char *format, ...) __attribute__((format(printf, 1, 2))); /* at the bottom */
unsigned page_left(void); /* lines between here and the last one */
void page_wipe(void);     /* the screen is the console's again, and blank */

#endif
