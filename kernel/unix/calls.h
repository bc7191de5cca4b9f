/* calls.h - the system calls as C functions (sys.def). */
#ifndef TOLLGATE_UNIX_CALLS_H
#define TOLLGATE_UNIX_CALLS_H

#include "toll/calls.h"

#define SERVICE_CALL(name, i386, amd64)
#define FRAME_CALL CALL
#define CALL(name, i386, amd64) call sys_##name;
#define CALL32(name, number) call sys_##name;
#define CALL64 CALL32
#include "sys.def"
#undef CALL64
#undef CALL32
#undef CALL
#undef FRAME_CALL
#undef SERVICE_CALL

call direct_toll_hand; /* handoff.c: for the direct call, which leaves interrupts on */

#endif
