/* tables.c - the system-call tables of i386: its own, and that of the direct call. */
#include "calls.h"

extern call *const clean_direct_calls[CALLS], *const probed_direct_calls[CALLS];
call clean_trusted_call_frame, probed_trusted_call_frame; /* entry/call.asm */

#define CALL(name, i386, amd64) [i386] = sys_##name,
#define CALL32(name, number) [number] = sys_##name,
#define CALL64(name, number)
#define FRAME_CALL CALL
#define SERVICE_CALL(name, i386, amd64) [i386] = clean_user_##name,

call *const clean_calls[CALLS] = {
        [0 ... CALLS - 1] = sys_nosys,
#include "sys.def"
};

#undef SERVICE_CALL
#define SERVICE_CALL(name, i386, amd64) [i386] = probed_user_##name,

call *const probed_calls[CALLS] = {
        [0 ... CALLS - 1] = sys_nosys,
#include "sys.def"
};

#undef FRAME_CALL
#define FRAME_CALL(name, i386, amd64) [i386] = clean_trusted_call_frame,
#undef SERVICE_CALL
#define SERVICE_CALL(name, i386, amd64) [i386] = clean_user_##name,

call *const clean_direct_calls[CALLS] = {
        [0 ... CALLS - 1] = direct_nosys,
#include "sys.def"
        [510] = direct_toll_hand,
};

#undef FRAME_CALL
#define FRAME_CALL(name, i386, amd64) [i386] = probed_trusted_call_frame,
#undef SERVICE_CALL
#define SERVICE_CALL(name, i386, amd64) [i386] = probed_user_##name,

call *const probed_direct_calls[CALLS] = {
        [0 ... CALLS - 1] = direct_nosys,
#include "sys.def"
        [510] = direct_toll_hand,
};

void call_beyond(struct frame *frame)
{
        frame->ax = (uintptr_t)-ENOSYS;
}
