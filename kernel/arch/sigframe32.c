/*
 * sigframe32.c - Linux's sigframe (without SA_SIGINFO) and rt_sigframe of i386, for 32-bit
 * programs under both kernels.
 *
 * The FPU's state lies above the frame: FNSAVE's image and the word `status`, and behind them,
 * where the processor has FXSAVE, that one's.
 */
#include "cpu/cpu.h"
#include "cpu/features.h"
#include "cpu/protect.h"
#include "proc/sigframe.h"
#include "selectors.h"

#define FNSAVE_SIZE 112 /* with `status` and `magic` */

struct sigcontext32 {
        uint32_t gs, fs, es, ds;
        uint32_t di, si, bp, sp, bx, dx, cx, ax;
        uint32_t trapno, err, ip, cs, flags, sp_at_signal, ss;
        uint32_t fpstate, oldmask, cr2;
};

struct sigframe32 {
        uint32_t pretcode, signal;
        struct sigcontext32 context;
        uint8_t unused[624]; /* where the FPU's state once was */
        uint32_t mask_high;
        uint8_t code[8]; /* of the way back: debuggers know the frame by it */
};

struct ucontext32 {
        uint32_t flags, link;
        uint32_t stack_start, stack_flags, stack_size;
        struct sigcontext32 context;
        uint32_t mask[2];
};

struct siginfo32 {
        int32_t signal, error, code;
        uint32_t place; /* the sender's pid, or the address of a fault */
        uint32_t uid;
        int32_t status;
        uint8_t reserved[104];
};

struct rt_sigframe32 {
        uint32_t pretcode, signal, info_at, uc_at;
        struct siginfo32 info;
        struct ucontext32 uc;
        uint8_t code[8];
};
_Static_assert(sizeof(struct sigcontext32) == 88, "sigcontext");
_Static_assert(sizeof(struct sigframe32) == 732, "sigframe");
_Static_assert(offsetof(struct rt_sigframe32, uc) == 144, "rt_sigframe");
_Static_assert(sizeof(struct rt_sigframe32) == 268, "rt_sigframe");

extern const uintptr_t sigreturn_stubs[2]; /* in the gate page (arch/sigreturn.inc) */

/* Where everything goes: the state of the FPU, and a frame of `size` bytes below it. */
struct place {
        uintptr_t begin, fpstate, at;
};

static struct place place(const struct frame *frame, const struct signal_action *action,
                          size_t size)
{
        bool extended = feature_has(FEATURE_FXSR);
        uintptr_t begin = signal_stack(action, (uint32_t)frame->sp, 0);
        uintptr_t state = (begin - (extended ? FXSAVE_SIZE : FNSAVE_SIZE)) & ~(uintptr_t)63;
        uintptr_t fpstate = extended ? state - FNSAVE_SIZE : state;
        /* sp + 4 is a multiple of 16 where a function begins (System V ABI, i386) */
        return (struct place){begin, fpstate, ((fpstate - size + 4) & ~(uintptr_t)15) - 4};
}

static bool save_fpu(uintptr_t fpstate)
{
        void *extended = feature_has(FEATURE_FXSR) ? (void *)(fpstate + FNSAVE_SIZE) : NULL;
        if (user_outside(fpstate, FNSAVE_SIZE + FXSAVE_SIZE) || !fpu_put((void *)fpstate, extended))
                return false;
        fpu_reset();
        return true;
}

static bool load_fpu(uintptr_t fpstate)
{
        void *extended = feature_has(FEATURE_FXSR) ? (void *)(fpstate + FNSAVE_SIZE) : NULL;
        if (!fpstate) {
                fpu_reset();
                return true;
        }
        return !user_outside(fpstate, FNSAVE_SIZE + FXSAVE_SIZE) &&
               fpu_take((const void *)fpstate, extended);
}

static void fill_context(struct sigcontext32 *c, const struct frame *frame,
                         const struct signal_info *info, uint64_t mask, uintptr_t fpstate)
{
        struct selectors s = selectors_of(frame);
        c->gs = s.gs;
        c->fs = s.fs;
        c->es = s.es;
        c->ds = s.ds;
        c->di = (uint32_t)frame->di;
        c->si = (uint32_t)frame->si;
        c->bp = (uint32_t)frame->bp;
        c->sp = c->sp_at_signal = (uint32_t)frame->sp;
        c->bx = (uint32_t)frame->bx;
        c->dx = (uint32_t)frame->dx;
        c->cx = (uint32_t)frame->cx;
        c->ax = (uint32_t)frame->ax;
        c->trapno = info->trap;
        c->err = info->error;
        c->ip = (uint32_t)frame->ip;
        c->cs = (uint16_t)frame->cs;
        c->flags = (uint32_t)frame->flags;
        c->ss = (uint16_t)frame->ss;
        c->fpstate = (uint32_t)fpstate;
        c->oldmask = (uint32_t)mask;
        c->cr2 = info->trap == VECTOR_PF ? (uint32_t)info->address : 0;
}

static void fill_info(struct siginfo32 *to, const struct signal_info *info)
{
        bool fault = info->code > 0 && info->signal != SIGCHLD;
        to->signal = info->signal;
        to->code = info->code;
        to->place = fault ? (uint32_t)info->address : info->sender;
        to->status = info->status;
}

static void enter_handler(struct frame *frame, uintptr_t at, const struct signal_action *action,
                          int signal)
{
        frame->sp = at;
        frame->ip = (uint32_t)action->handler;
        frame->ax = (uint32_t)signal;
        frame->cs = CS32;
        frame->ss = USER_DS;
        frame->flags &= ~(uintptr_t)SIGFRAME_CLEAR;
        selectors_set_data(frame, USER_DS, USER_DS);
}

static uint32_t way_back(const struct signal_action *action, int extended)
{
        return (uint32_t)(action->flags & SA_RESTORER ? action->restorer
                                                      : sigreturn_stubs[extended]);
}

static bool push_extended(struct frame *frame, const struct signal_action *action,
                          const struct signal_info *info, uint64_t mask)
{
        /* mov eax, 173; int 80h. What is never assigned stays zero. */
        static struct rt_sigframe32 out = {.code = {0xb8, 173, 0, 0, 0, 0xcd, 0x80}};
        const struct signal_state *s = &cpu_current->signals;
        struct place p = place(frame, action, sizeof out);
        if (signal_stack_overrun(p.begin, (uint32_t)frame->sp, p.at))
                return false;
        out.pretcode = way_back(action, true);
        out.signal = (uint32_t)info->signal;
        out.info_at = (uint32_t)(p.at + offsetof(struct rt_sigframe32, info));
        out.uc_at = (uint32_t)(p.at + offsetof(struct rt_sigframe32, uc));
        out.uc.stack_start = (uint32_t)s->stack_start;
        out.uc.stack_flags = s->stack_flags;
        out.uc.stack_size = (uint32_t)s->stack_size;
        out.uc.mask[0] = (uint32_t)mask;
        out.uc.mask[1] = (uint32_t)(mask >> 32);
        fill_info(&out.info, info);
        fill_context(&out.uc.context, frame, info, mask, p.fpstate);
        if (user_write(p.at, &out, sizeof out) || !save_fpu(p.fpstate))
                return false;
        enter_handler(frame, p.at, action, info->signal);
        frame->dx = out.info_at;
        frame->cx = out.uc_at;
        return true;
}

bool sigframe32_push(struct frame *frame, const struct signal_action *action,
                     const struct signal_info *info, uint64_t mask)
{
        /* pop eax; mov eax, 119; int 80h */
        static struct sigframe32 out = {.code = {0x58, 0xb8, 119, 0, 0, 0, 0xcd, 0x80}};
        const size_t head = offsetof(struct sigframe32, unused);
        const size_t tail = offsetof(struct sigframe32, mask_high);
        if (action->flags & SA_SIGINFO)
                return push_extended(frame, action, info, mask);
        struct place p = place(frame, action, sizeof out);
        if (signal_stack_overrun(p.begin, (uint32_t)frame->sp, p.at))
                return false;
        out.pretcode = way_back(action, false);
        out.signal = (uint32_t)info->signal;
        out.mask_high = (uint32_t)(mask >> 32);
        fill_context(&out.context, frame, info, mask, p.fpstate);
        if (user_write(p.at, &out, head) ||
            user_write(p.at + tail, &out.mask_high, sizeof out - tail) || !save_fpu(p.fpstate))
                return false;
        enter_handler(frame, p.at, action, info->signal);
        frame->dx = frame->cx = 0;
        return true;
}

/* A data segment that the program may have, else none. */
static uint16_t data_selector(uint32_t selector)
{
        uint16_t wanted = (uint16_t)(selector | 3);
        return selector_reads(access_rights(wanted)) ? wanted : 0;
}

/* FS and GS only if they change: loading them would lose a base that was set without them. */
static void load_segments(struct frame *frame, const struct sigcontext32 *c)
{
        struct selectors s = selectors_of(frame);
        if ((uint16_t)c->gs != s.gs)
                __asm__ volatile("mov %0, %%gs" : : "r"(data_selector(c->gs)));
        if ((uint16_t)c->fs != s.fs)
                __asm__ volatile("mov %0, %%fs" : : "r"(data_selector(c->fs)));
        if ((uint16_t)c->es != s.es || (uint16_t)c->ds != s.ds)
                selectors_set_data(frame, data_selector(c->es), data_selector(c->ds));
}

static bool load_context(struct frame *frame, const struct sigcontext32 *c)
{
        uint16_t cs = (uint16_t)(c->cs | 3), ss = (uint16_t)(c->ss | 3);
        if (!selector_runs(access_rights(cs)) || !selector_stacks(access_rights(ss)) ||
            !load_fpu(c->fpstate))
                return false;
        load_segments(frame, c);
        frame->di = c->di;
        frame->si = c->si;
        frame->bp = c->bp;
        frame->sp = c->sp;
        frame->bx = c->bx;
        frame->dx = c->dx;
        frame->cx = c->cx;
        frame->ax = c->ax;
        frame->ip = c->ip;
        frame->cs = cs;
        frame->ss = ss;
        frame->flags = (frame->flags & ~(uintptr_t)(SIGFRAME_FLAGS | RFLAGS_VM)) |
                       (c->flags & SIGFRAME_FLAGS);
        frame->number = (uintptr_t)NO_CALL;
        return true;
}

static bool pop_extended(struct frame *frame)
{
        struct ucontext32 uc;
        /* the handler's return has taken pretcode off the stack */
        uintptr_t sp = (uint32_t)frame->sp, at = sp - 4;
        if (user_read(&uc, at + offsetof(struct rt_sigframe32, uc), sizeof uc) ||
            !load_context(frame, &uc.context))
                return false;
        signal_back((uint64_t)uc.mask[1] << 32 | uc.mask[0], uc.stack_start, uc.stack_size,
                    uc.stack_flags, sp);
        return true;
}

bool sigframe32_pop(struct frame *frame, bool extended)
{
        const struct signal_state *s = &cpu_current->signals;
        struct sigcontext32 context;
        uint32_t mask_high;
        if (extended)
                return pop_extended(frame);
        /* pretcode and the signal's number are off the stack */
        uintptr_t sp = (uint32_t)frame->sp, at = sp - 8;
        if (user_read(&context, at + offsetof(struct sigframe32, context), sizeof context) ||
            user_read(&mask_high, at + offsetof(struct sigframe32, mask_high), 4) ||
            !load_context(frame, &context))
                return false;
        signal_back((uint64_t)mask_high << 32 | context.oldmask, s->stack_start, s->stack_size,
                    s->stack_flags, sp);
        return true;
}
