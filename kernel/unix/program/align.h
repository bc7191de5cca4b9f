/* align.h - where in a line of 64 bytes entries begin (align.c). */
#ifndef TOLLGATE_UNIX_PROGRAM_ALIGN_H
#define TOLLGATE_UNIX_PROGRAM_ALIGN_H

#define ALIGN_LINE 64

/* Moves all entries to so many bytes behind the beginning of a line. Returns where they were. No
 * thread may have a call open, and no NMI may come meanwhile: its entry moves as well. */
unsigned align_set(unsigned long to);

#endif
