/* sigframe32.c - Linux's sigframe (without SA_SIGINFO) and rt_sigframe of i386, for 32-bit programs
 * under both kernels.
 *
 * The FPU's state is above the frame: FNSAVE's image and the word `status`, followed by FXSAVE's
 * image if the processor has it. */
#include "clock/image.h"
#include "cpu/cpu.h"
#include "cpu/features.h"
#include "cpu/protect.h"
#include "thread/user.h"
#include "process/sigframe.h"
#include "thread/thread.h"
#include "selectors.h"
#include "process/task.h"

struct fpstate32 {
        struct {
                uint32_t control;
                uint16_t status, status_high;
                uint8_t reserved[100];
        } fnsave;
        uint16_t status, magic; /* Linux's; MAGIC_NO_FXSAVE: no image follows */
        uint8_t fxsave[FXSAVE_SIZE];
};
#define FNSAVE_SIZE offsetof(struct fpstate32, fxsave)
#define MAGIC_NO_FXSAVE 0xffff
_Static_assert(FNSAVE_SIZE == 112, "fpstate");

/* A selector fills a whole word: the bytes above must not show old stack contents. */
struct sigcontext32 {
        uint32_t gs, fs, es, ds;
        uint32_t di, si, bp, sp, bx, dx, cx, ax;
        uint32_t trapno, err, ip;
        uint32_t cs;
        uint32_t flags, sp_at_signal;
        uint32_t ss;
        uint32_t fpstate, oldmask, cr2;
};

struct sigframe32 {
        uint32_t pretcode, signal;
        struct sigcontext32 context;
        uint8_t unused[624]; /* old place of the FPU's state */
        uint32_t mask_high;
        uint32_t code[2]; /* code of the return: debuggers recognise the frame by it */
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
        uint32_t value; /* SIGCHLD's status, or the value of a queued signal */
        uint8_t reserved[104];
};

struct rt_sigframe32 {
        uint32_t pretcode, signal, info_at, uc_at;
        struct siginfo32 info;
        struct ucontext32 uc;
        uint32_t code[2];
};
_Static_assert(sizeof(struct sigcontext32) == 88, "sigcontext");
_Static_assert(sizeof(struct sigframe32) == 732, "sigframe");
_Static_assert(offsetof(struct rt_sigframe32, uc) == 144, "rt_sigframe");
_Static_assert(sizeof(struct rt_sigframe32) == 268, "rt_sigframe");

/* Addresses of the FPU's state and of a frame of `size` bytes below it. */
struct place {
        uintptr_t begin, fpstate, at;
};

static struct place sigframe32_place(const struct frame *frame, const struct signal_action *action,
                                     size_t size)
{
        bool extended = feature_has(FEATURE_FXSR);
        uintptr_t begin = signal_stack(action, (uint32_t)frame->sp, 0);
        uintptr_t state = (begin - (extended ? FXSAVE_SIZE : FNSAVE_SIZE)) & ~(uintptr_t)63;
        uintptr_t fpstate = extended ? state - FNSAVE_SIZE : state;
        /* at a function's start sp + 4 is a multiple of 16 (System V ABI, i386) */
        return (struct place){begin, fpstate, ((fpstate - size + 4) & ~(uintptr_t)15) - 4};
}

static uint32_t way_back(const struct signal_action *action, int extended)
{
        return (uint32_t)(action->flags & SA_RESTORER
                                  ? action->restorer
                                  : vdsos[cpu_current->origin].sigreturn[extended]);
}

/* FNSAVE initialises the x87; SSE's state, if any, is reset. */
static bool store_fpu(struct fpstate32 *to)
{
        uint16_t status;
        bool extended = feature_has(FEATURE_FXSR);
        if (extended)
                USER_DO("fxsave", to->fxsave, failed);
        USER_DO("fnsave", to->fnsave, failed);
        USER_GET(status, to->fnsave.status, failed);
        USER_PUT(to->status, status, failed);
        USER_PUT(to->magic, extended ? 0 : MAGIC_NO_FXSAVE, failed);
        if (extended)
                fpu_clean();
        return true;
failed:
        return false;
}

/* FXRSTOR may load an unmasked exception, on which FRSTOR would fault: FNINIT clears it. */
static bool load_fpu(const struct fpstate32 *from)
{
        if (!from) {
                fpu_reset();
                return true;
        }
        bool extended = feature_has(FEATURE_FXSR);
        if (!user_inside((uintptr_t)from, extended ? sizeof *from : FNSAVE_SIZE))
                return false;
        if (extended)
                USER_DO("fxrstor", from->fxsave, failed);
        __asm__ volatile("fninit");
        USER_DO("frstor", from->fnsave, failed);
        return true;
failed:
        return false;
}

static bool store_context(struct sigcontext32 *c, const struct frame *frame,
                          const struct signal_info *info, uint64_t mask, uintptr_t fpstate)
{
        struct selectors s = selectors_of(frame);
        USER_PUT(c->gs, s.gs, failed);
        USER_PUT(c->fs, s.fs, failed);
        USER_PUT(c->es, s.es, failed);
        USER_PUT(c->ds, s.ds, failed);
        USER_PUT(c->di, frame->di, failed);
        USER_PUT(c->si, frame->si, failed);
        USER_PUT(c->bp, frame->bp, failed);
        USER_PUT(c->sp, frame->sp, failed);
        USER_PUT(c->bx, frame->bx, failed);
        USER_PUT(c->dx, frame->dx, failed);
        USER_PUT(c->cx, frame->cx, failed);
        USER_PUT(c->ax, frame->ax, failed);
        USER_PUT(c->trapno, info->trap, failed);
        USER_PUT(c->err, info->error, failed);
        USER_PUT(c->ip, frame->ip, failed);
        USER_PUT(c->cs, (uint16_t)frame->cs, failed);
        USER_PUT(c->flags, frame->flags, failed);
        USER_PUT(c->sp_at_signal, frame->sp, failed);
        USER_PUT(c->ss, (uint16_t)frame->ss, failed);
        USER_PUT(c->fpstate, fpstate, failed);
        USER_PUT(c->oldmask, mask, failed);
        USER_PUT(c->cr2, info->trap == VECTOR_PF ? info->address : 0, failed);
        return store_fpu(USER(struct fpstate32, fpstate));
failed:
        return false;
}

static bool store_extended(struct rt_sigframe32 *to, const struct frame *frame,
                           const struct signal_action *action, const struct signal_info *info,
                           uint64_t mask, uintptr_t fpstate)
{
        const struct signal_state *s = &task()->signals;
        USER_PUT(to->pretcode, way_back(action, true), failed);
        USER_PUT(to->signal, info->signal, failed);
        USER_PUT(to->info_at, (uintptr_t)&to->info, failed);
        USER_PUT(to->uc_at, (uintptr_t)&to->uc, failed);
        USER_PUT(to->info.signal, info->signal, failed);
        USER_PUT(to->info.error, 0, failed);
        USER_PUT(to->info.code, info->code, failed);
        USER_PUT(to->info.place, signal_of_fault(info) ? info->address : info->sender, failed);
        USER_PUT(to->info.uid, 0, failed);
        USER_PUT(to->info.value, info->value, failed);
        USER_PUT(to->uc.flags, 0, failed);
        USER_PUT(to->uc.link, 0, failed);
        USER_PUT(to->uc.stack_start, s->stack_start, failed);
        USER_PUT(to->uc.stack_flags, s->stack_flags, failed);
        USER_PUT(to->uc.stack_size, s->stack_size, failed);
        USER_PUT(to->uc.mask[0], mask, failed);
        USER_PUT(to->uc.mask[1], mask >> 32, failed);
        USER_PUT(to->code[0], 0x0000adb8, failed); /* mov eax, 173; int 80h */
        USER_PUT(to->code[1], 0x0080cd00, failed);
        return store_context(&to->uc.context, frame, info, mask, fpstate);
failed:
        return false;
}

static bool store_old(struct sigframe32 *to, const struct frame *frame,
                      const struct signal_action *action, const struct signal_info *info,
                      uint64_t mask, uintptr_t fpstate)
{
        USER_PUT(to->pretcode, way_back(action, false), failed);
        USER_PUT(to->signal, info->signal, failed);
        USER_PUT(to->mask_high, mask >> 32, failed);
        USER_PUT(to->code[0], 0x0077b858, failed); /* pop eax; mov eax, 119; int 80h */
        USER_PUT(to->code[1], 0x80cd0000, failed);
        return store_context(&to->context, frame, info, mask, fpstate);
failed:
        return false;
}

bool sigframe32_push(struct frame *frame, const struct signal_action *action,
                     const struct signal_info *info, uint64_t mask)
{
        bool extended = action->flags & SA_SIGINFO;
        size_t size = extended ? sizeof(struct rt_sigframe32) : sizeof(struct sigframe32);
        struct place p = sigframe32_place(frame, action, size);
        if (signal_stack_overrun(p.begin, (uint32_t)frame->sp, p.at) ||
            !user_inside(p.at, p.begin - p.at))
                return false;
        struct rt_sigframe32 *rt = USER(struct rt_sigframe32, p.at);
        user_open();
        bool done = extended ? store_extended(rt, frame, action, info, mask, p.fpstate)
                             : store_old(USER(struct sigframe32, p.at), frame, action, info, mask,
                                         p.fpstate);
        user_close();
        if (!done)
                return false;
        frame->sp = p.at;
        frame->ip = (uint32_t)action->handler;
        frame->ax = (uint32_t)info->signal;
        frame->dx = extended ? (uintptr_t)&rt->info : 0;
        frame->cx = extended ? (uintptr_t)&rt->uc : 0;
        if (!cpu_trusted) { /* its selectors are the kernel's and stay */
                frame->cs = CS32;
                frame->ss = USER_DS;
        }
        frame->flags &= ~(uintptr_t)SIGFRAME_CLEAR;
        selectors_set_data(frame, USER_DS, USER_DS);
        return true;
}

/* A data segment that the program may use, else null. */
static uint16_t data_selector(uint32_t selector)
{
        uint16_t wanted = (uint16_t)(selector | 3);
        if (cpu_trusted && wanted == (KERNEL_DS | 3))
                return KERNEL_DS;
        return selector_reads(access_rights(wanted)) ? wanted : 0;
}

/* Loads FS and GS only if they change: loading would lose a base that was set by other means. */
static void load_segments(struct frame *frame, struct selectors want)
{
        struct selectors s = selectors_of(frame);
        if (want.gs != s.gs)
                __asm__ volatile("mov %0, %%gs" : : "r"(data_selector(want.gs)));
        if (want.fs != s.fs)
                __asm__ volatile("mov %0, %%fs" : : "r"(data_selector(want.fs)));
        if (want.es != s.es || want.ds != s.ds)
                selectors_set_data(frame, data_selector(want.es), data_selector(want.ds));
}

/* Accepts selectors that the processor would refuse; the program then gets SIGSEGV. */
static __attribute__((cold, noinline)) void change_selectors(struct frame *frame, uint16_t cs,
                                                             uint16_t ss)
{
        frame->cs = cs;
        frame->ss = ss;
        if (!selector_runs(access_rights(cs)) || !selector_stacks(access_rights(ss)))
                sigframe_refused(frame);
}

static bool load_context(struct frame *frame, const struct sigcontext32 *c)
{
        struct selectors s;
        uint16_t cs, ss;
        uint32_t ip, sp, flags;
        uintptr_t fpstate;
        USER_GET(cs, c->cs, failed);
        USER_GET(ss, c->ss, failed);
        USER_GET(fpstate, c->fpstate, failed);
        cs |= 3;
        ss |= 3;
        if (cpu_trusted) {
                frame->cs = KERNEL_CS;
                frame->ss = KERNEL_DS;
        } else if (cs != frame->cs || ss != frame->ss) {
                change_selectors(frame, cs, ss);
        }
        if (!load_fpu(USER(const struct fpstate32, fpstate)))
                return false;
        USER_GET(s.gs, c->gs, failed);
        USER_GET(s.fs, c->fs, failed);
        USER_GET(s.es, c->es, failed);
        USER_GET(s.ds, c->ds, failed);
        USER_GET(ip, c->ip, failed);
        USER_GET(sp, c->sp, failed);
        USER_GET(flags, c->flags, failed);
        USER_GET(frame->di, c->di, failed);
        USER_GET(frame->si, c->si, failed);
        USER_GET(frame->bp, c->bp, failed);
        USER_GET(frame->bx, c->bx, failed);
        USER_GET(frame->dx, c->dx, failed);
        USER_GET(frame->cx, c->cx, failed);
        USER_GET(frame->ax, c->ax, failed);
        load_segments(frame, s);
        frame->ip = ip;
        frame->sp = sp;
        frame->flags = sigframe_flags(frame->flags, flags);
        return true;
failed:
        return false;
}

static bool load_extended(struct frame *frame, const struct ucontext32 *uc)
{
        uintptr_t sp = (uint32_t)frame->sp, start;
        uint32_t low, high, size, flags;
        if (!user_inside((uintptr_t)uc, sizeof *uc))
                return false;
        USER_GET(low, uc->mask[0], failed);
        USER_GET(high, uc->mask[1], failed);
        signal_set_mask((uint64_t)high << 32 | low);
        USER_GET(start, uc->stack_start, failed);
        USER_GET(size, uc->stack_size, failed);
        USER_GET(flags, uc->stack_flags, failed);
        if (!load_context(frame, &uc->context))
                return false;
        signal_stack_back(start, size, flags, sp);
        return true;
failed:
        return false;
}

static bool load_old(struct frame *frame, const struct sigframe32 *from)
{
        uint32_t low, high;
        if (!user_inside((uintptr_t)from, sizeof *from))
                return false;
        USER_GET(low, from->context.oldmask, failed);
        USER_GET(high, from->mask_high, failed);
        signal_set_mask((uint64_t)high << 32 | low);
        return load_context(frame, &from->context);
failed:
        return false;
}

/* The handler's RET has popped pretcode; the old frame's restorer has popped the number, too. */
bool sigframe32_pop(struct frame *frame, bool extended)
{
        uintptr_t sp = (uint32_t)frame->sp;
        user_open();
        uintptr_t uc = sp - 4 + offsetof(struct rt_sigframe32, uc);
        bool done = extended ? load_extended(frame, USER(const struct ucontext32, uc))
                             : load_old(frame, USER(struct sigframe32, sp - 8));
        user_close();
        return done;
}
