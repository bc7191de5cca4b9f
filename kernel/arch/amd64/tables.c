/* tables.c - the system-call tables of amd64: its own, and i386's for 32-bit programs. */
#include "proc/calls.h"

extern call *const clean_compat_calls[CALLS], *const probed_compat_calls[CALLS];

#define TABLE(number, getpid)                                                                      \
        {                                                                                          \
                [0 ... CALLS - 1] = sys_nosys, [number] = getpid,

#define CALL(name, i386, amd64) [amd64] = sys_##name,
call *const clean_calls[CALLS] = TABLE(39, clean_getpid)
#include "proc/sys.def"
}
;
call *const probed_calls[CALLS] = TABLE(39, probed_getpid)
#include "proc/sys.def"
}
;
#undef CALL

#define CALL(name, i386, amd64) [i386] = sys_##name,
call *const clean_compat_calls[CALLS] = TABLE(20, clean_getpid)
#include "proc/sys.def"
}
;
call *const probed_compat_calls[CALLS] = TABLE(20, probed_getpid)
#include "proc/sys.def"
}
;
