/* identity.h - names of this system and machine. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "process/resource.h"

#define SYSTEM "Tollgate"
#define HOST_NAME 64 /* characters at most, as on Linux */

extern char host_name[HOST_NAME + 1];
void host_name_set(const char *name, size_t length); /* cut to HOST_NAME */

struct process;
/* The process of any thread's id, 0 = the caller's; NULL = none. */
struct process *process_named(long pid);

/* ids.c: an id of the current process; root's if there is none. */
enum { ID_USER, ID_GROUP };
uint32_t id_of(unsigned kind, unsigned which);
/* Saves the effective ids at execve(). */
void ids_exec(struct process *process);
