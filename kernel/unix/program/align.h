/* align.h - where in a line of 64 bytes entries begin (align.c). */
#pragma once
#define ALIGN_LINE 64

/* Moves all entries to so many bytes behind the beginning of a line. Returns where they were. No
 * thread may have a call open. An NMI may come meanwhile: its way has no word of an entry. */
unsigned align_set(unsigned long to);
