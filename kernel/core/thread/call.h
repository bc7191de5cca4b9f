/*
 * call.h - what a system call is to the entries: a table of functions of C, one for each number.
 *
 * A call takes up to six arguments of a word and returns a result or -errno.
 */
#ifndef TOLLGATE_CORE_THREAD_CALL_H
#define TOLLGATE_CORE_THREAD_CALL_H

#include "arch.h"
#include "errno.h"
#include "thread/thread.h"

typedef long call(long, long, long, long, long, long);

/* The arguments that a call does not use: AFTER_2 after two, and so on. */
#define UNUSED __attribute__((unused))
#define AFTER_5 UNUSED long f
#define AFTER_4 UNUSED long e, AFTER_5
#define AFTER_3 UNUSED long d, AFTER_4
#define AFTER_2 UNUSED long c, AFTER_3
#define AFTER_1 UNUSED long b, AFTER_2
#define AFTER_0 UNUSED long a, AFTER_1

call sys_nosys;    /* missing.c */
call direct_nosys; /* the same for the direct call, which has no frame: arch/switch.asm */

/* The call tables of the kernel above (unix/arch/<arch>/tables.c); the probed entries' tables
 * differ in getpid, which has MP4 and MP5. */
extern call *const clean_calls[CALLS], *const probed_calls[CALLS];

/* A 64-bit number among the arguments: 32-bit programs give its halves, others the whole. */
static inline int64_t call_wide(long low, long high)
{
        return call_narrow() ? (int64_t)((uint64_t)high << 32 | (uint32_t)low) : (int64_t)low;
}

/* The result of a call that a signal has interrupted: -ERESTARTSYS or -ERESTARTNOHAND, as `how`
 * says without the sign, which the way out settles; -EINTR where it may not look for work. */
static inline long call_interrupted(long how)
{
        return cpu_current->chooses ? -EINTR : -how;
}

/* A number that the entries found beyond the table: puts the answer in the frame. */
void call_beyond(struct frame *frame);

/* Out to the program by IRET with the frame that a FRAME_CALL has made anew, whatever row it came
 * through. */
_Noreturn void frame_leave(void);

#endif
