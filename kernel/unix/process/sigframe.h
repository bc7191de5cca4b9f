/* sigframe.h - signal frames on a program's stack, and the return from them.
 *
 * The layouts are Linux's (arch/x86/include/asm/sigframe.h, uapi/asm/sigcontext.h): rt_sigframe of
 * amd64 in arch/amd64/sigframe64.c; sigframe and rt_sigframe of i386 in arch/sigframe32.c, for
 * 32-bit programs under both kernels. */
#pragma once
#include "cpu/work.h"
#include "mem/space.h"
#include "thread/thread.h"
#include "process/task.h"

/* The flags that a program may choose by sigreturn. */
#define SIGFRAME_FLAGS                                                                             \
        (RFLAGS_CF | RFLAGS_PF | RFLAGS_AF | RFLAGS_ZF | RFLAGS_SF | RFLAGS_TF | RFLAGS_DF |       \
         RFLAGS_OF | RFLAGS_RF | RFLAGS_AC)
/* Flags that are cleared for a handler. */
#define SIGFRAME_CLEAR (RFLAGS_TF | RFLAGS_DF | RFLAGS_RF | RFLAGS_VM)

#define FXSAVE_SIZE 512

/* arch/<arch>/frames.h chooses between these and the 64-bit ones. */

/* Pushes a frame on the program's stack, and makes `frame` start the handler; `mask` is the mask
 * after sigreturn. False = no room, or a bad address; then `frame` is unchanged. */
bool sigframe32_push(struct frame *frame, const struct signal_action *action,
                     const struct signal_info *info, uint64_t mask);
/* Loads the mask, the FPU, `frame` and the alternate stack from the frame on the program's stack.
 * False = it is unreadable, or has values that no program may have. Then ip, sp and flags of
 * `frame` are unchanged; the mask, as on Linux, may be the new one. */
bool sigframe32_pop(struct frame *frame, bool extended);

static inline uintptr_t sigframe_flags(uintptr_t now, uintptr_t wanted)
{
        return (now & ~(uintptr_t)(SIGFRAME_FLAGS | RFLAGS_VM)) | (wanted & SIGFRAME_FLAGS);
}

static inline bool signal_of_fault(const struct signal_info *info)
{
        return info->code > 0 && info->signal != SIGCHLD;
}

/* The word after the code: a fault's address, or the sender. */
static inline uint64_t signal_place(const struct signal_info *info)
{
        union {
                uint32_t ids[2];
                uint64_t both;
        } who = {{info->sender, info->user}};
        return signal_of_fault(info) ? info->address : who.both;
}

/* Sends a fault's signal, below 32, which the current thread cannot block or ignore (then it
 * kills). The caller fills in the handler's information. NULL = it ends the process, and the caller
 * prints why. */
static inline struct signal_info *signal_force(int signal)
{
        struct signal_state *s = &task()->signals;
        uint32_t bit = 1u << (signal - 1);
        if ((uint32_t)s->mask & bit || task()->actions->of[signal].handler <= SIG_IGN)
                return NULL;
        s->pending |= bit;
        work_add(WORK_SIGNAL);
        return &s->info[signal];
}

/* The same with the code SI_KERNEL; the caller fills in the rest. */
static inline struct signal_info *signal_forced(int signal)
{
        struct signal_info *info = signal_force(signal);
        if (info)
                *info = (struct signal_info){.signal = signal, .code = SI_KERNEL};
        return info;
}

/* `frame` has selectors or an address that the processor would refuse (SDM 2A, IRET). Reports that
 * as #GP, after all registers are loaded. */
__attribute__((cold)) void sigframe_refused(const struct frame *frame);

/* sigaltstack: 0 or -errno. `sp`: the program's. */
int signal_stack_set(uintptr_t start, size_t size, unsigned flags, uintptr_t sp);

static inline void signal_set_mask(uint64_t mask)
{
        struct signal_state *s = &task()->signals;
        mask &= ~SIGNALS_UNBLOCKABLE;
        s->mask = mask;
        if (s->pending & ~mask)
                work_add(WORK_SIGNAL);
}

/* Restores the alternate stack at sigreturn; ignores an invalid one. */
static inline __attribute__((always_inline)) void signal_stack_back(uintptr_t stack, size_t size,
                                                                    unsigned flags, uintptr_t sp)
{
        const struct signal_state *s = &task()->signals;
        if (stack != s->stack_start || size != s->stack_size || flags != s->stack_flags)
                signal_stack_set(stack, size, flags, sp);
}

static inline bool on_signal_stack(const struct signal_state *s, uintptr_t sp)
{
        return sp > s->stack_start && sp - s->stack_start <= s->stack_size;
}

/* The start of a handler's stack. */
static inline uintptr_t signal_stack(const struct signal_action *action, uintptr_t sp,
                                     unsigned red_zone)
{
        const struct signal_state *s = &task()->signals;
        if (action->flags & SA_ONSTACK && s->stack_size &&
            (s->stack_flags & SS_AUTODISARM || !on_signal_stack(s, sp)))
                return s->stack_start + s->stack_size;
        return sp - red_zone;
}

/* Whether a frame at `at` is beyond the alternate stack on which it began, or which `sp` is on. */
static inline bool signal_stack_overrun(uintptr_t begin, uintptr_t sp, uintptr_t at)
{
        const struct signal_state *s = &task()->signals;
        if (!s->stack_size)
                return false;
        bool inside = begin == s->stack_start + s->stack_size ||
                      (on_signal_stack(s, sp) && !(s->stack_flags & SS_AUTODISARM));
        return inside && !on_signal_stack(s, at);
}

/* Access rights of selectors that a program at CPL 3 may have (SDM 2A, LAR). */
#define RIGHTS_OF_PROGRAM 0xf000 /* present, DPL 3, not a system segment */
#define RIGHTS_CODE 0x800
#define RIGHTS_WRITABLE 0x200 /* data is writable; code is readable */

static inline bool selector_runs(uint32_t rights)
{
        return (rights & (RIGHTS_OF_PROGRAM | RIGHTS_CODE)) == (RIGHTS_OF_PROGRAM | RIGHTS_CODE);
}

static inline bool selector_stacks(uint32_t rights)
{
        return (rights & (RIGHTS_OF_PROGRAM | RIGHTS_CODE | RIGHTS_WRITABLE)) ==
               (RIGHTS_OF_PROGRAM | RIGHTS_WRITABLE);
}

static inline bool selector_reads(uint32_t rights)
{
        return (rights & RIGHTS_OF_PROGRAM) == RIGHTS_OF_PROGRAM &&
               (!(rights & RIGHTS_CODE) || rights & RIGHTS_WRITABLE);
}
