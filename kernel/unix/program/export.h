/* export.h - kernel functions by name, for trusted programs: the "helper library" of the KML
 * article.
 *
 * A program declares each one that it uses (user/lib/kernel.h) by a note in its file, of name
 * EXPORT_NOTE and type EXPORT_TYPE (System V ABI, "Note Section"). The descriptor is the 32-bit
 * address of a pointer in its data, followed by the name with a 0. execve() fills the pointers, or
 * refuses the program. */
#pragma once
#define EXPORT_NOTE "Tollgate"
#define EXPORT_TYPE 1
#define EXPORT_TYPE_MAYBE 2 /* an optional function; untrusted programs run without it */
#define EXPORT_NAME 32      /* longest name, with its 0 */

#include <stdbool.h>
#include "lib/elf.h"

struct memory;
struct node;

/* Fills the pointers in a program's memory. NULL, or a sentence about the failure. */
const char *export_link(struct memory *memory, const struct elf *elf, struct node *node,
                        bool trusted);

/* Whether a kernel function that the current program called by name is running. */
bool export_running(void);
