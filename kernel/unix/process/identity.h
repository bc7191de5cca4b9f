/* identity.h - what this system and this machine are called. */
#ifndef TOLLGATE_UNIX_PROCESS_IDENTITY_H
#define TOLLGATE_UNIX_PROCESS_IDENTITY_H

#include <stddef.h>
#include <stdint.h>
#include "process/resource.h"

#define SYSTEM "Tollgate"
#define HOST_NAME 64 /* characters at most, as Linux's */

extern char host_name[HOST_NAME + 1];
void host_name_set(const char *name, size_t length); /* cut to what there is room for */

struct process;
/* Any thread names its process, 0 the caller's; NULL = none. */
struct process *process_named(long pid);

/* ids.c: one of the current process's; without a process, root's. */
enum {
        ID_USER,
        ID_GROUP
};
uint32_t id_of(unsigned kind, unsigned which);
/* The process becomes another program: its effective ids are saved. */
void ids_exec(struct process *process);

#endif
