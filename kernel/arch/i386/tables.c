/* tables.c - the system-call tables of i386. */
#include "proc/calls.h"

#define FRAME_CALL CALL
#define CALL(name, i386, amd64) [i386] = sys_##name,
#define TABLE(getpid)                                                                              \
        {                                                                                          \
                [0 ... CALLS - 1] = sys_nosys, [20] = getpid,
call *const clean_calls[CALLS] = TABLE(clean_user_getpid)
#include "proc/sys.def"
}
;
call *const probed_calls[CALLS] = TABLE(probed_user_getpid)
#include "proc/sys.def"
}
;
