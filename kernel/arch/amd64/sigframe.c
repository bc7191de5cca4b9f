/* sigframe.c - Linux's rt_sigframe of amd64. */
#include "proc/sigframe.h"
#include "cpu/cpu.h"
#include "cpu/protect.h"

#define RED_ZONE 128 /* below the stack pointer, the program's (System V ABI) */

/* uc_flags (uapi/asm/ucontext.h): ss is in the frame, and is to be taken from it */
#define UC_SIGCONTEXT_SS 2
#define UC_STRICT_RESTORE_SS 4

struct sigcontext {
        uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
        uint64_t di, si, bp, bx, dx, ax, cx, sp, ip, flags;
        uint16_t cs, gs, fs, ss;
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
        union {
                uint64_t address;
                struct {
                        uint32_t pid, uid;
                };
        };
        int32_t status;
        uint8_t reserved_28[100];
};

struct rt_sigframe {
        uint64_t pretcode;
        struct ucontext uc;
        struct siginfo info;
};
_Static_assert(sizeof(struct sigcontext) == 256, "sigcontext");
_Static_assert(sizeof(struct ucontext) == 304, "ucontext");
_Static_assert(sizeof(struct rt_sigframe) == 440, "rt_sigframe");

static bool canonical(uint64_t address)
{
        return (uint64_t)((int64_t)(address << 16) >> 16) == address;
}

static void fill_context(struct sigcontext *c, const struct frame *frame,
                         const struct signal_info *info, uint64_t mask, uintptr_t fpstate)
{
        c->r8 = frame->r8;
        c->r9 = frame->r9;
        c->r10 = frame->r10;
        c->r11 = frame->r11;
        c->r12 = frame->r12;
        c->r13 = frame->r13;
        c->r14 = frame->r14;
        c->r15 = frame->r15;
        c->di = frame->di;
        c->si = frame->si;
        c->bp = frame->bp;
        c->bx = frame->bx;
        c->dx = frame->dx;
        c->ax = frame->ax;
        c->cx = frame->cx;
        c->sp = frame->sp;
        c->ip = frame->ip;
        c->flags = frame->flags;
        c->cs = (uint16_t)frame->cs;
        c->ss = (uint16_t)frame->ss;
        c->err = info->error;
        c->trapno = info->trap;
        c->oldmask = mask;
        c->cr2 = info->trap == VECTOR_PF ? info->address : 0;
        c->fpstate = fpstate;
}

static void fill_info(struct siginfo *to, const struct signal_info *info)
{
        to->signal = info->signal;
        to->code = info->code;
        if (info->code > 0 && info->signal != SIGCHLD) {
                to->address = info->address;
        } else {
                to->pid = info->sender;
                to->uid = 0;
        }
        to->status = info->status;
}

bool sigframe_push(struct frame *frame, const struct signal_action *action,
                   const struct signal_info *info, uint64_t mask)
{
        /* What is never assigned stays zero. */
        static struct rt_sigframe out = {.uc.flags = UC_SIGCONTEXT_SS | UC_STRICT_RESTORE_SS};
        const struct process *process = cpu_current;
        if (process->mode == MODE_COMPAT)
                return sigframe32_push(frame, action, info, mask);
        uintptr_t begin = signal_stack(action, frame->sp, RED_ZONE);
        uintptr_t fpstate = (begin - FXSAVE_SIZE) & ~(uintptr_t)63;
        uintptr_t at = ((fpstate - sizeof out) & ~(uintptr_t)15) - 8; /* as if just called */
        size_t size = action->flags & SA_SIGINFO ? sizeof out : offsetof(struct rt_sigframe, info);
        if (!(action->flags & SA_RESTORER) || !canonical(action->handler) ||
            signal_stack_overrun(begin, frame->sp, at))
                return false;

        out.pretcode = action->restorer;
        out.uc.stack_start = process->signals.stack_start;
        out.uc.stack_flags = process->signals.stack_flags;
        out.uc.stack_size = process->signals.stack_size;
        out.uc.mask = mask;
        fill_context(&out.uc.context, frame, info, mask, fpstate);
        if (size == sizeof out)
                fill_info(&out.info, info);
        if (user_write(at, &out, size) || user_outside(fpstate, FXSAVE_SIZE) ||
            !fpu_put(NULL, (void *)fpstate))
                return false;
        fpu_reset();

        frame->ip = action->handler;
        frame->sp = at;
        frame->ax = 0;
        frame->di = (uint64_t)info->signal;
        frame->si = at + offsetof(struct rt_sigframe, info);
        frame->dx = at + offsetof(struct rt_sigframe, uc);
        frame->flags &= ~(uint64_t)SIGFRAME_CLEAR;
        frame->cs = process->trusted ? KERNEL_CS : USER_CS;
        frame->ss = process->trusted ? KERNEL_DS : USER_DS;
        return true;
}

/* Of a program at CPL 3 the selectors are made CPL 3's; one at CPL 0 keeps the kernel's. */
static bool take_selectors(const struct sigcontext *c, uint64_t *cs, uint64_t *ss)
{
        if (cpu_current->trusted) {
                *cs = KERNEL_CS;
                *ss = KERNEL_DS;
                return true;
        }
        *cs = c->cs | 3;
        *ss = c->ss | 3;
        return selector_runs(access_rights((uint32_t)*cs)) &&
               selector_stacks(access_rights((uint32_t)*ss));
}

bool sigframe_pop(struct frame *frame)
{
        struct ucontext uc;
        const struct sigcontext *c = &uc.context;
        uint64_t cs, ss;
        if (cpu_current->mode == MODE_COMPAT)
                return sigframe32_pop(frame, true);
        /* the handler's return has taken pretcode off the stack */
        if (user_read(&uc, frame->sp, sizeof uc) || !canonical(c->ip) ||
            !take_selectors(c, &cs, &ss))
                return false;
        if (!c->fpstate)
                fpu_reset();
        else if (user_outside(c->fpstate, FXSAVE_SIZE) || !fpu_take(NULL, (void *)c->fpstate))
                return false;
        uintptr_t sp = frame->sp;
        uint64_t flags = (frame->flags & ~(uint64_t)(SIGFRAME_FLAGS | RFLAGS_VM)) |
                         (c->flags & SIGFRAME_FLAGS);
        *frame = (struct frame){
                .r15 = c->r15,
                .r14 = c->r14,
                .r13 = c->r13,
                .r12 = c->r12,
                .bp = c->bp,
                .bx = c->bx,
                .r11 = c->r11,
                .r10 = c->r10,
                .r9 = c->r9,
                .r8 = c->r8,
                .ax = c->ax,
                .cx = c->cx,
                .dx = c->dx,
                .si = c->si,
                .di = c->di,
                .number = (uint64_t)NO_CALL,
                .ip = c->ip,
                .cs = cs,
                .flags = flags,
                .sp = c->sp,
                .ss = ss,
        };
        signal_back(uc.mask, uc.stack_start, uc.stack_size, uc.stack_flags, sp);
        return true;
}
