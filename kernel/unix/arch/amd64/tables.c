/* tables.c - the system-call tables of amd64, and those of i386 for 32-bit programs. */
#include "calls.h"

extern call *const clean_compat_calls[CALLS], *const probed_compat_calls[CALLS];

#define NUMBER(i386, amd64) amd64
#define CALL64(name, number) [number] = sys_##name,
#define CALL32(name, number)
#include "arch/tables.def"

#undef CALL32
#undef CALL64
#define CALL(name, i386, amd64) [i386] = sys_##name,
#define CALL32(name, number) [number] = sys_##name,
#define CALL64(name, number)
#define FRAME_CALL CALL
#define SERVICE_CALL(name, i386, amd64) [i386] = clean_user_##name,

call *const clean_compat_calls[CALLS] = {
        [0 ... CALLS - 1] = sys_nosys,
#include "sys.def"
};

#undef SERVICE_CALL
#define SERVICE_CALL(name, i386, amd64) [i386] = probed_user_##name,

call *const probed_compat_calls[CALLS] = {
        [0 ... CALLS - 1] = sys_nosys,
#include "sys.def"
};
