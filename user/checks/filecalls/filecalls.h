/* filecalls.h - shared by the tests of file calls. Each works in the current directory. */
#pragma once
#include "linux.h"

#define PLACE "files.d" /* the tests' directory */

extern char buffer[8192];

long open_at(const char *path, int flags);
void fill(const char *path, const char *text);  /* replaces a file's contents by a text */
bool holds(const char *path, const char *text); /* whether a file contains exactly that text */

void try_open(void); /* content.c */
void try_busy_text(void);
void try_positions(void);
void try_at_positions(void); /* positions.c */
void try_lengths(void);
void try_sending(void);
void try_names(void); /* names.c */
void try_links(void);
void try_directories(void);
void try_descriptors(void); /* descriptors.c */
void try_bounds(void);
void try_pipes(void);
void try_waits(void);    /* waits.c */
void try_pointers(void); /* refused.c */
void try_space(void);    /* space.c */
void try_room_of_names(void);
void try_room_of_pipes(void);
