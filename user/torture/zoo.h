/* zoo.h - one file of every kind: files of /dev and /proc, of a disk and under /trusted, and new
 * ones, such as pipes, sockets and terminals. */
#pragma once
#include <stdbool.h>

#define ZOO_FIRST 64 /* the first of its descriptors */
extern unsigned zoo_names, zoo_descriptors;

/* Call once: finds the names, and saves what is needed to restore removed names. False = some are
 * missing. */
bool zoo_find(void);
void zoo_mend(void);                 /* restores removed names */
void zoo_open(void);                 /* creates and opens all of it, in the current directory */
const char *zoo_name(unsigned name); /* `zoo_names` and above: a descriptor, in /proc/self/fd */
