/* tables.c - the system-call tables of i386. */
#include "calls.h"

#define NUMBER(i386, amd64) i386
#define CALL32(name, number) [number] = sys_##name,
#define CALL64(name, number)
#include "arch/tables.def"
