/* registers.c - print a frame's registers in words, i386; and the tasks for #DB, NMI and #DF. */
#include "cpu/cpu.h"
#include "cpu/descriptor.h"
#include "cpu/symbol.h"
#include "machine/apic.h"
#include "machine/console.h"
#include "machine/pic.h"
#include "above.h"
#include "thread/call.h"
#include "thread/thread.h"
#include "toll.h"
#include "trap/chain.h"
#include "trap/dispatch.h"
#include "trap/from_user.h"
#include "trap/marks.h"
#include "trap/panic.h"

/* A frame from the kernel has no stack pointer: it pointed to the frame's end. */
uintptr_t frame_stack(const struct frame *f)
{
        return from_user(f) ? f->sp : (uintptr_t)&f->sp;
}

/* False: a page fault never comes from a selector. */
static bool pop_fixed_up(struct frame *frame)
{
        if (!is_marked(frame, segment_pops, segment_pops_end))
                return false;
        *(uint32_t *)frame_stack(frame) = 0;
        return true;
}

static bool flat(uint32_t selector)
{
        return (selector & 0xffff) == KERNEL_DS || (selector & 0xffff) == USER_DS;
}

/* A selector that became invalid after it was saved is replaced by null when it is popped. C code
 * called by a trusted program runs with the program's DS and ES. */
bool segments_fixed_up(unsigned vector, struct frame *frame)
{
        if (vector != VECTOR_PF && pop_fixed_up(frame))
                return true;
        if (!cpu_trusted || (flat(frame->ds) && flat(frame->es)))
                return false;
        frame->ds = frame->es = KERNEL_DS;
        return true;
}

void registers_give(const struct frame *f, struct toll_frame *to)
{
        *to = (struct toll_frame){
                .r = {f->ax, f->bx, f->cx, f->dx, f->si, f->di, f->bp},
                .ip = f->ip,
                .cs = f->cs,
                .flags = f->flags,
                .sp = f->sp,
                .ss = f->ss,
        };
}

void registers_say(const struct frame *f)
{
        say("  eax %p ebx %p ecx %p edx %p\n", (void *)f->ax, (void *)f->bx, (void *)f->cx,
            (void *)f->dx);
        say("  esi %p edi %p ebp %p esp %p\n", (void *)f->si, (void *)f->di, (void *)f->bp,
            (void *)frame_stack(f));
        say("  eip %p cs %x eflags %x ds %x es %x number %x\n", (void *)f->ip, f->cs, f->flags,
            f->ds, f->es, f->number);
        say("  cr0 %p cr2 %p cr3 %p cr4 %p\n", (void *)cr0_read(), (void *)cr2_read(),
            (void *)cr3_read(), (void *)cr4_read());
}

/* The frame that a gate would have built for the code that the task switch interrupted. Fields that
 * the switch does not save are zero. */
static struct frame frame_of_task(const struct tss *t)
{
        return (struct frame){
                .es = t->es,
                .ds = t->ds,
                .di = t->di,
                .si = t->si,
                .bp = t->bp,
                .bx = t->bx,
                .dx = t->dx,
                .cx = t->cx,
                .ax = t->ax,
                .ip = t->ip,
                .cs = t->cs,
                .flags = t->flags,
                .sp = t->sp,
                .ss = t->ss,
        };
}

extern char trap_entered[]; /* vectors.asm: (vector in eax, a frame on the stack) */

/* Where the main task resumes in the kernel. */
static void go_on(uintptr_t ip, uintptr_t sp)
{
        tss_main.ip = ip;
        tss_main.cs = KERNEL_CS;
        tss_main.ss = tss_main.ds = tss_main.es = KERNEL_DS;
        tss_main.sp = sp;
        tss_main.flags = RFLAGS_FIXED;
}

/* Resumes the interrupted program in the kernel, as if the vector had used a gate. */
static void registers_deliver(unsigned vector, const struct frame *frame)
{
        struct frame *to = (struct frame *)cpu_stack - 1;
        *to = *frame;
        go_on((uintptr_t)trap_entered, (uintptr_t)to);
        tss_main.ax = vector;
}

void task_nmi(void)
{
        struct frame frame = frame_of_task(&tss_main);
        trap_way.vector(VECTOR_NMI, &frame);
        tss_main.ip = frame.ip;
        if (above.quiet(QUIET_ASKED) && task_interrupted() == &tss_main && from_user(&frame) &&
            !from_entry(&frame))
                registers_deliver(VECTOR_SPURIOUS,
                                  &frame); /* no device has it: for pending work only */
}

void task_debug(void)
{
        const struct tss *task = task_interrupted();
        struct frame frame = frame_of_task(task);
        if (from_user(&frame) && !from_entry(&frame)) {
                if (frame.flags & RFLAGS_VM) /* these are not selectors; a gate clears them, too */
                        tss_main.fs = tss_main.gs = 0;
                registers_deliver(VECTOR_DB, &frame);
        } else {
                trap_way.vector(VECTOR_DB, &frame);
                if (task == &tss_main) {
                        tss_main.flags = frame.flags;
                        tss_main.ip = frame.ip;
                }
        }
}

/* #DF through a gate would find no stack either: nothing to fix up. */
unsigned trap_starved(struct frame *frame __attribute__((unused)))
{
        return 0;
}

static void run_lost(unsigned vector, struct frame *frame)
{
        trap_way.vector(vector, frame);
        chain_end(TOLL_FOUND);
        trap_lost_interrupts++;
}

/* The interrupt whose frame could not be pushed was acknowledged: it is in service, but its handler
 * never ran. It belongs to the 8259 or is the tick of the local APIC. */
static void run_lost_interrupts(struct frame *frame)
{
        for (unsigned left = pic_in_service(); left; left &= left - 1)
                run_lost(VECTOR_IRQ0 + (unsigned)__builtin_ctz(left), frame);
        if (apic_ticks && apic_in_service())
                run_lost(VECTOR_TIMER, frame);
}

/* Bytes that a gate pushes below the stack pointer: the frame of the #PF that became #DF. */
#define GATE_PUSHES 20

/* If the stack pointer is the program's, its stack had no room for the frame of an exception or
 * interrupt. The kernel's own stack can only have overrun. Turns the double fault back into the
 * original page fault, in the process, where it may be resolved. If no page caused it, it is #SS.
 */
void task_double_fault(void)
{
        struct frame frame = frame_of_task(&tss_main);
        if (!from_user(&frame)) {
                if (is_wild_jump(frame.sp)) {
                        run_lost_interrupts(&frame);
                        go_on((uintptr_t)entry_jumped_wild, cpu_stack);
                        return;
                }
                panic(&frame, "#DF, double fault; cr2 %p", (void *)cr2_read());
        }
        chain_add(VECTOR_DF, &frame);
        chain_end(TOLL_FIXED_UP);
        if (cpu_protection == PROTECTION_whole)
                run_lost_interrupts(&frame);
        trap_starvations++;
        bool page = frame.sp - cr2_read() <= GATE_PUSHES;
        frame.number = page ? PF_WRITE : 0;
        registers_deliver(page ? VECTOR_PF : VECTOR_SS, &frame);
}

void call_beyond(struct frame *frame)
{
        frame->ax = (uintptr_t)-ENOSYS;
}
