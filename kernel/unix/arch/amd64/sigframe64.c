/* sigframe64.c - Linux's rt_sigframe of amd64. */
#include "cpu/cpu.h"
#include "cpu/protect.h"
#include "frames.h"
#include "thread/user.h"
#include "thread/thread.h"
#include "process/task.h"

#define RED_ZONE 128 /* System V ABI: the program's bytes below its stack pointer */

/* uc_flags (uapi/asm/ucontext.h): the frame has ss, and sigreturn is to use it */
#define UC_SIGCONTEXT_SS 2
#define UC_STRICT_RESTORE_SS 4

struct sigcontext {
        uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
        uint64_t di, si, bp, bx, dx, ax, cx, sp, ip, flags;
        uint64_t cs_gs_fs_ss; /* four selectors of 16 bits */
        uint64_t err, trapno, oldmask, cr2, fpstate, reserved[8];
};

struct ucontext {
        uint64_t flags, link;
        uint64_t stack_start;
        uint32_t stack_flags, reserved;
        uint64_t stack_size;
        struct sigcontext context;
        uint64_t mask;
};

struct siginfo {
        int32_t signal, error, code, reserved_12;
        uint64_t place; /* the address of a fault, or the sender's pid and uid */
        uint64_t value; /* SIGCHLD's status, or the value of a queued signal */
        uint8_t reserved_32[96];
};

struct rt_sigframe {
        uint64_t pretcode;
        struct ucontext uc;
        struct siginfo info;
};
_Static_assert(sizeof(struct sigcontext) == 256, "sigcontext");
_Static_assert(sizeof(struct ucontext) == 304, "ucontext");
_Static_assert(sizeof(struct rt_sigframe) == 440, "rt_sigframe");

typedef uint8_t fxsave[FXSAVE_SIZE];

/* False = a page fault. */
static bool store(struct rt_sigframe *to, const struct frame *frame,
                  const struct signal_action *action, const struct signal_info *info, uint64_t mask,
                  fxsave *fpu)
{
        const struct signal_state *s = &task()->signals;
        struct sigcontext *c = &to->uc.context;
        user_open();
        USER_PUT(to->pretcode, action->restorer, failed);
        USER_PUT(to->uc.flags, UC_SIGCONTEXT_SS | UC_STRICT_RESTORE_SS, failed);
        USER_PUT(to->uc.link, 0, failed);
        USER_PUT(to->uc.stack_start, s->stack_start, failed);
        USER_PUT(to->uc.stack_flags, s->stack_flags, failed);
        USER_PUT(to->uc.stack_size, s->stack_size, failed);
        USER_PUT(to->uc.mask, mask, failed);
        USER_PUT(c->r8, frame->r8, failed);
        USER_PUT(c->r9, frame->r9, failed);
        USER_PUT(c->r10, frame->r10, failed);
        USER_PUT(c->r11, frame->r11, failed);
        USER_PUT(c->r12, frame->r12, failed);
        USER_PUT(c->r13, frame->r13, failed);
        USER_PUT(c->r14, frame->r14, failed);
        USER_PUT(c->r15, frame->r15, failed);
        USER_PUT(c->di, frame->di, failed);
        USER_PUT(c->si, frame->si, failed);
        USER_PUT(c->bp, frame->bp, failed);
        USER_PUT(c->bx, frame->bx, failed);
        USER_PUT(c->dx, frame->dx, failed);
        USER_PUT(c->ax, frame->ax, failed);
        USER_PUT(c->cx, frame->cx, failed);
        USER_PUT(c->sp, frame->sp, failed);
        USER_PUT(c->ip, frame->ip, failed);
        USER_PUT(c->flags, frame->flags, failed);
        USER_PUT(c->cs_gs_fs_ss, (uint16_t)frame->cs | frame->ss << 48, failed);
        USER_PUT(c->err, info->error, failed);
        USER_PUT(c->trapno, info->trap, failed);
        USER_PUT(c->oldmask, mask, failed);
        USER_PUT(c->cr2, info->trap == VECTOR_PF ? info->address : 0, failed);
        USER_PUT(c->fpstate, (uintptr_t)fpu, failed);
        if (action->flags & SA_SIGINFO) {
                USER_PUT(to->info.signal, info->signal, failed);
                USER_PUT(to->info.error, 0, failed);
                USER_PUT(to->info.code, info->code, failed);
                USER_PUT(to->info.place, signal_place(info), failed);
                USER_PUT(to->info.value, info->value, failed);
        }
        USER_DO("fxsave64", *fpu, failed);
        user_close();
        return true;
failed:
        user_close();
        return false;
}

bool sigframe64_push(struct frame *frame, const struct signal_action *action,
                     const struct signal_info *info, uint64_t mask)
{
        uintptr_t begin = signal_stack(action, frame->sp, RED_ZONE);
        uintptr_t fpu = (begin - FXSAVE_SIZE) & ~(uintptr_t)63;
        /* aligned as after a call (System V ABI) */
        uintptr_t at = ((fpu - sizeof(struct rt_sigframe)) & ~(uintptr_t)15) - 8;
        struct rt_sigframe *to = USER(struct rt_sigframe, at);
        if (!(action->flags & SA_RESTORER) || !address_is_canonical(action->handler) ||
            signal_stack_overrun(begin, frame->sp, at) || !user_inside(at, begin - at) ||
            !store(to, frame, action, info, mask, USER(fxsave, fpu)))
                return false;
        fpu_clean();

        frame->ip = action->handler;
        frame->sp = at;
        frame->ax = 0;
        frame->di = (uint64_t)info->signal;
        frame->si = (uint64_t)&to->info;
        frame->dx = (uint64_t)&to->uc;
        frame->flags &= ~(uint64_t)SIGFRAME_CLEAR;
        if (!cpu_current->trusted) { /* a trusted program keeps the kernel's */
                frame->cs = USER_CS;
                frame->ss = USER_DS;
        }
        return true;
}

/* A context may contain the segments that the program already has. */
static bool is_usual(const struct frame *frame, uint64_t cs_gs_fs_ss, uint64_t ip)
{
        uint32_t cs = (uint16_t)cs_gs_fs_ss | 3, ss = (uint32_t)(cs_gs_fs_ss >> 48) | 3;
        return address_is_canonical(ip) &&
               (cpu_current->trusted || (cs == frame->cs && ss == frame->ss));
}

/* Other selectors get CPL 3; a program at CPL 0 keeps the kernel's. If the context of 64-bit code
 * does not claim to know SS, a bad SS is replaced by a good one. Selectors that the processor would
 * refuse are accepted, and the program gets SIGSEGV. False = nothing unusual, or a page fault. */
static __attribute__((cold, noinline)) bool take_unusual(struct frame *frame,
                                                         const struct ucontext *uc)
{
        uint64_t ip, selectors, flags;
        user_open();
        USER_GET(ip, uc->context.ip, failed);
        USER_GET(selectors, uc->context.cs_gs_fs_ss, failed);
        USER_GET(flags, uc->flags, failed);
        user_close();
        if (is_usual(frame, selectors, ip))
                return false;
        bool good = address_is_canonical(ip);
        if (!cpu_current->trusted) {
                frame->cs = (uint16_t)selectors | 3;
                frame->ss = selectors >> 48 | 3;
                bool stacks = selector_stacks(access_rights((uint32_t)frame->ss));
                if (!stacks && frame->cs == USER_CS && !(flags & UC_STRICT_RESTORE_SS)) {
                        frame->ss = USER_DS;
                        stacks = true;
                }
                good = good && stacks && selector_runs(access_rights((uint32_t)frame->cs));
        }
        if (!good)
                sigframe_refused(frame);
        return true;
failed:
        user_close();
        return false;
}

/* Changes nothing in `frame` until every check has passed, except at a page fault, which leaves
 * part of the registers changed. False = a page fault, or (if it must be usual) take_unusual(). */
static inline __attribute__((always_inline)) bool
load_context(struct frame *frame, const struct ucontext *uc, bool usual)
{
        const struct sigcontext *c = &uc->context;
        uint64_t ip, selectors, mask, start, size, flags, sp = frame->sp;
        uint32_t stack_flags;
        const fxsave *fpu;
        user_open();
        USER_GET(mask, uc->mask, failed);
        signal_set_mask(mask);
        USER_GET(fpu, c->fpstate, failed);
        USER_GET(ip, c->ip, failed);
        USER_GET(selectors, c->cs_gs_fs_ss, failed);
        if ((usual && !is_usual(frame, selectors, ip)) ||
            (fpu && !user_inside((uintptr_t)fpu, FXSAVE_SIZE)))
                goto failed;
        if (fpu)
                USER_DO("fxrstor64", *fpu, failed);
        else
                fpu_clean();
        USER_GET(start, uc->stack_start, failed);
        USER_GET(stack_flags, uc->stack_flags, failed);
        USER_GET(size, uc->stack_size, failed);
        USER_GET(flags, c->flags, failed);
        USER_GET(frame->r8, c->r8, failed);
        USER_GET(frame->r9, c->r9, failed);
        USER_GET(frame->r10, c->r10, failed);
        USER_GET(frame->r11, c->r11, failed);
        USER_GET(frame->r12, c->r12, failed);
        USER_GET(frame->r13, c->r13, failed);
        USER_GET(frame->r14, c->r14, failed);
        USER_GET(frame->r15, c->r15, failed);
        USER_GET(frame->di, c->di, failed);
        USER_GET(frame->si, c->si, failed);
        USER_GET(frame->bp, c->bp, failed);
        USER_GET(frame->bx, c->bx, failed);
        USER_GET(frame->dx, c->dx, failed);
        USER_GET(frame->ax, c->ax, failed);
        USER_GET(frame->cx, c->cx, failed);
        USER_GET(frame->sp, c->sp, failed);
        user_close();
        frame->ip = ip;
        frame->flags = sigframe_flags(frame->flags, flags);
        signal_stack_back(start, size, stack_flags, sp);
        return true;
failed:
        user_close();
        return false;
}

/* The handler's RET has popped pretcode. */
bool sigframe64_pop(struct frame *frame)
{
        return user_inside(frame->sp, sizeof(struct ucontext)) &&
               load_context(frame, USER(const struct ucontext, frame->sp), true);
}

bool sigframe64_pop_unusual(struct frame *frame)
{
        const struct ucontext *uc = USER(const struct ucontext, frame->sp);
        return user_inside(frame->sp, sizeof *uc) && take_unusual(frame, uc) &&
               load_context(frame, uc, false);
}
