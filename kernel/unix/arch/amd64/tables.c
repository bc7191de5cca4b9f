/*
 * tables.c - the system-call tables of amd64: its own, that of the direct call, and i386's for
 * 32-bit programs.
 */
#include "calls.h"

extern call *const clean_direct_calls[CALLS], *const probed_direct_calls[CALLS];
extern call *const clean_compat_calls[CALLS], *const probed_compat_calls[CALLS];
call clean_trusted_call_frame, probed_trusted_call_frame; /* entry/call.asm */

#define CALL(name, i386, amd64) [amd64] = sys_##name,
#define CALL64(name, number) [number] = sys_##name,
#define CALL32(name, number)
#define FRAME_CALL CALL
#define SERVICE_CALL(name, i386, amd64) [amd64] = clean_user_##name,

call *const clean_calls[CALLS] = {
        [0 ... CALLS - 1] = sys_nosys,
#include "sys.def"
};

#undef SERVICE_CALL
#define SERVICE_CALL(name, i386, amd64) [amd64] = probed_user_##name,

call *const probed_calls[CALLS] = {
        [0 ... CALLS - 1] = sys_nosys,
#include "sys.def"
};

#undef FRAME_CALL
#define FRAME_CALL(name, i386, amd64) [amd64] = clean_trusted_call_frame,
#undef SERVICE_CALL
#define SERVICE_CALL(name, i386, amd64) [amd64] = clean_user_##name,

call *const clean_direct_calls[CALLS] = {
        [0 ... CALLS - 1] = direct_nosys,
#include "sys.def"
        [510] = direct_toll_hand,
};

#undef FRAME_CALL
#define FRAME_CALL(name, i386, amd64) [amd64] = probed_trusted_call_frame,
#undef SERVICE_CALL
#define SERVICE_CALL(name, i386, amd64) [amd64] = probed_user_##name,

call *const probed_direct_calls[CALLS] = {
        [0 ... CALLS - 1] = direct_nosys,
#include "sys.def"
        [510] = direct_toll_hand,
};

/* As on Linux eax counts. The entries look at all of rax, which takes them one instruction less,
 * and what is beyond the table comes here. */
void call_beyond(struct frame *frame)
{
        uint32_t number = (uint32_t)frame->ax;
        frame->ax = (uintptr_t)-ENOSYS;
        if (number >= CALLS)
                return;
        frame->number = number;
        frame->ax =
                (uintptr_t)clean_calls[number]((long)frame->di, (long)frame->si, (long)frame->dx,
                                               (long)frame->r10, (long)frame->r8, (long)frame->r9);
}

#undef SERVICE_CALL
#undef FRAME_CALL
#undef CALL
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
