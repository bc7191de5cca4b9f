/* call.h - system calls as the entries see them: a table of C functions by number.
 *
 * A call takes up to six word arguments and returns a result or -errno. */
#pragma once
#include "arch.h"
#include "errno.h"
#include "thread/thread.h"

typedef long call(long, long, long, long, long, long);

/* Unused arguments of a call: AFTER_2 after two, and so on. */
#define AFTER_5 long f
#define AFTER_4 long e, AFTER_5
#define AFTER_3 long d, AFTER_4
#define AFTER_2 long c, AFTER_3
#define AFTER_1 long b, AFTER_2
#define AFTER_0 long a, AFTER_1

call sys_nosys;    /* missing.c */
call direct_nosys; /* for the direct call, which has no frame: arch/switch.asm */

/* The upper kernel's call tables (unix/arch/<arch>/tables.c). The probed entries' tables differ in
 * getpid, which has MP4 and MP5. */
extern call *const clean_calls[CALLS], *const probed_calls[CALLS];

/* A 64-bit argument: 32-bit programs pass two halves, others one word. */
static inline int64_t call_wide(long low, long high)
{
        return call_narrow() ? (int64_t)((uint64_t)high << 32 | (uint32_t)low) : (int64_t)low;
}

/* The result of a call that a signal interrupted: -ERESTARTSYS or -ERESTARTNOHAND (`how` without
 * the sign), which the exit resolves; -EINTR if the exit may not do pending work. */
static inline long call_interrupted(long how)
{
        return cpu_current->chooses ? -EINTR : -how;
}

/* A number beyond the table: stores the result in the frame. */
void call_beyond(struct frame *frame);

/* Returns to the program by IRET with a frame that a FRAME_CALL rebuilt, whatever mechanism was
 * used. */
_Noreturn void frame_leave(void);
