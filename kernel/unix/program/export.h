/*
 * export.h - kernel functions by name, for trusted programs: the "helper library" of the KML
 * article.
 *
 * A program declares what it wants (user/lib/kernel.h): a note each in its file, of the name
 * EXPORT_NOTE and the type EXPORT_TYPE (System V ABI, "Note Section"), whose descriptor is the
 * 32-bit address of a pointer in its data, and the name, 0 at the end. execve() fills the pointers,
 * or refuses the program.
 */
#ifndef TOLLGATE_UNIX_PROGRAM_EXPORT_H
#define TOLLGATE_UNIX_PROGRAM_EXPORT_H

#define EXPORT_NOTE "Tollgate"
#define EXPORT_TYPE 1
#define EXPORT_TYPE_MAYBE 2 /* a function that a program which is not trusted goes without */
#define EXPORT_NAME 32      /* the longest name, with its 0 */

#include <stdbool.h>
#include "lib/elf.h"

struct memory;
struct node;

/* Fills the pointers in a program's memory. NULL, or a sentence that says why not. */
const char *export_link(struct memory *memory, const struct elf *elf, struct node *node,
                        bool trusted);

/* Whether the kernel runs a function that the current program has called by name. */
bool export_running(void);

#endif
