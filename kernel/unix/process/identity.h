/* identity.h - what this system and this machine are called. */
#ifndef TOLLGATE_UNIX_PROCESS_IDENTITY_H
#define TOLLGATE_UNIX_PROCESS_IDENTITY_H

#include <stddef.h>

#define SYSTEM "Tollgate"
#define HOST_NAME 64 /* characters at most, as Linux's */

extern char host_name[HOST_NAME + 1];
void host_name_set(const char *name, size_t length); /* cut to what there is room for */

#endif
