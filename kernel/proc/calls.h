/*
 * calls.h - the system calls as C functions, and the tables that entries dispatch through.
 *
 * A call takes up to six arguments of a word and returns a result or -errno.
 */
#ifndef TOLLGATE_CALLS_H
#define TOLLGATE_CALLS_H

#include "arch.h"

typedef long call(long, long, long, long, long, long);

#define FRAME_CALL CALL
#define CALL(name, i386, amd64) call sys_##name;
#define CALL32(name, i386) call sys_##name;
#include "proc/sys.def"
#undef CALL
#undef CALL32
#undef FRAME_CALL
call sys_nosys, clean_user_getpid, probed_user_getpid;

/* arch/<arch>/tables.c: the probed entries' tables differ in getpid, which has MP4 and MP5. */
extern call *const clean_calls[CALLS], *const probed_calls[CALLS];

#endif
