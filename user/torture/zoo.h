/*
 * zoo.h - a file of every kind: those of /dev and /proc, of a disk and under /trusted, and new
 * ones, such as pipes, sockets and terminals.
 */
#ifndef TOLLGATE_USER_TORTURE_ZOO_H
#define TOLLGATE_USER_TORTURE_ZOO_H

#include <stdbool.h>

#define ZOO_FIRST 64 /* the first of the descriptors */
extern unsigned zoo_names, zoo_descriptors;

/* Once: finds the names, and keeps what it needs to put a name back that was taken away. False =
 * not all is there. */
bool zoo_find(void);
void zoo_mend(void);                 /* puts back what was taken away */
void zoo_open(void);                 /* makes and opens all of it, in the current directory */
const char *zoo_name(unsigned name); /* from `zoo_names` on: a descriptor, in /proc/self/fd */

#endif
