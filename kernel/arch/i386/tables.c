/* tables.c - the system-call tables of i386. */
#include "proc/calls.h"

#define FRAME_CALL CALL
#define CALL(name, i386, amd64) [i386] = sys_##name,
#define CALL32(name, i386) [i386] = sys_##name,

call *const clean_calls[CALLS] = {
        [0 ... CALLS - 1] = sys_nosys,
        [20] = clean_user_getpid,
#include "proc/sys.def"
};

call *const probed_calls[CALLS] = {
        [0 ... CALLS - 1] = sys_nosys,
        [20] = probed_user_getpid,
#include "proc/sys.def"
};
