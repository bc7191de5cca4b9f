/*
 * tables.c - the system-call tables of amd64, those of i386 for 32-bit programs, and what a number
 * beyond them gets.
 */
#include "calls.h"

extern call *const clean_compat_calls[CALLS], *const probed_compat_calls[CALLS];

#define NUMBER(i386, amd64) amd64
#define CALL64(name, number) [number] = sys_##name,
#define CALL32(name, number)
#include "arch/tables.def"

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
