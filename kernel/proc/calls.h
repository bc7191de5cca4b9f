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
#define CALL32(name, i386) CALL(name, i386, )
#define CALL(name, i386, amd64) call sys_##name;
#include "proc/sys.def"
#undef CALL
#undef CALL32
#undef FRAME_CALL
/* The parameters that a call of so many arguments leaves alone. */
#define UNUSED __attribute__((unused))
#define AFTER_5 UNUSED long unused_f
#define AFTER_4 UNUSED long unused_e, AFTER_5
#define AFTER_3 UNUSED long unused_d, AFTER_4
#define AFTER_2 UNUSED long unused_c, AFTER_3
#define AFTER_1 UNUSED long unused_b, AFTER_2
#define AFTER_0 UNUSED long unused_a, AFTER_1

call sys_nosys, clean_user_getpid, probed_user_getpid;

/* arch/<arch>/tables.c: the probed entries' tables differ in getpid, which has MP4 and MP5. */
extern call *const clean_calls[CALLS], *const probed_calls[CALLS];

#endif
