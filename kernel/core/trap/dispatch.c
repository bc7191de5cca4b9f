/* dispatch.c - chooses the handlers of each vector.
 *
 * A page fault asks the program's memory first; most that arrive here have no page. Any other
 * exception of a program ends it, with a message. In the kernel it is fixed up where an entry file
 * or user_copy() declared that; otherwise it is a panic with registers and backtrace. */
#include "trap/dispatch.h"
#include "above.h"
#include "cpu/breakpoint.h"
#include "cpu/cpu.h"
#include "cpu/symbol.h"
#include "cpu/work.h"
#include "machine/console.h"
#include "machine/pic.h"
#include "lib/printf.h"
#include "mem/frame.h"
#include "mem/heap.h"
#include "mem/memory.h"
#include "thread/thread.h"
#include "trap/chain.h"
#include "trap/from_user.h"
#include "trap/marks.h"
#include "trap/panic.h"

#define RESERVED                                                                                   \
        {                                                                                          \
                "a reserved vector", "SIGSEGV", 11, 0, false                                       \
        }

const struct exception exceptions[32] = {
        [0] = {"#DE, divide error", "SIGFPE", 8, 1 /* FPE_INTDIV */, true},
        [1] = {"#DB, debug exception", "SIGTRAP", 5, 2 /* TRAP_TRACE */, true},
        [2] = {"NMI", "SIGBUS", 7, 0, false},
        [3] = {"#BP, breakpoint", "SIGTRAP", 5, 0, false},
        [4] = {"#OF, overflow", "SIGSEGV", 11, 0, false},
        [5] = {"#BR, BOUND range exceeded", "SIGSEGV", 11, 0, false},
        [6] = {"#UD, invalid opcode", "SIGILL", 4, 2 /* ILL_ILLOPN */, true},
        [7] = {"#NM, device not available", "SIGFPE", 8, 0, false},
        [8] = {"#DF, double fault", "SIGSEGV", 11, 0, false},
        [9] = {"coprocessor segment overrun", "SIGFPE", 8, 0, false},
        [10] = {"#TS, invalid TSS", "SIGSEGV", 11, 0, false},
        [11] = {"#NP, segment not present", "SIGBUS", 7, 0, false},
        [12] = {"#SS, stack-segment fault", "SIGBUS", 7, 0, false},
        [13] = {"#GP, general protection", "SIGSEGV", 11, 0, false},
        [14] = {"#PF, page fault", "SIGSEGV", 11, 0, false},
        [15] = RESERVED,
        [16] = {"#MF, x87 floating-point error", "SIGFPE", 8, 0, false},
        [17] = {"#AC, alignment check", "SIGBUS", 7, 1 /* BUS_ADRALN */, false},
        [18] = {"#MC, machine check", "SIGBUS", 7, 0, false},
        [19] = {"#XM, SIMD floating-point exception", "SIGFPE", 8, 0, false},
        [20] = {"#VE, virtualization exception", "SIGSEGV", 11, 0, false},
        [21] = {"#CP, control protection", "SIGSEGV", 11, 0, false},
        [22 ... 31] = RESERVED,
};

unsigned trap_nmis, trap_single_steps, trap_lost_interrupts, trap_starvations;

/* Tries the last one used first: bad pointers usually hit the same few copies. */
static bool fixed_up(struct frame *frame)
{
        static const struct fixup *last = fault_fixups;
        if (frame->ip != last->at) {
                const struct fixup *found = mark_of(frame, fault_fixups, fault_fixups_end);
                if (!found)
                        return false;
                last = found;
        }
        frame->ip = last->to;
        return true;
}

/* An NMI or #DB between STI and HLT ends STI's shadow: the interrupt that HLT should wait for
 * arrives before HLT, and there may be no other. So the wait is skipped (SDM 2B, STI). At CPL 3,
 * HLT is not a wait. */
static void end_wait(struct frame *frame)
{
        if (!(frame->cs & 3))
                mark_followed(frame, waits, waits_end);
}

static __attribute__((cold, noinline)) void nmi(struct frame *frame)
{
        trap_nmis++;
        end_wait(frame);
        above.quiet(QUIET_ASKED);
}

/* True = it was only the kernel's own breakpoint. */
static __attribute__((cold, noinline)) bool debug(struct frame *frame)
{
        end_wait(frame);
        return breakpoint_hit(frame);
}

/* A task switch sets CR0.TS (SDM 3A, "Task Switching"), and i386's #DB and NMI tasks leave it set.
 * The FPU still has the program's state, so nothing is loaded. */
static bool task_switched(uintptr_t vector)
{
        if (vector != VECTOR_NM || !(cr0_read() & CR0_TS))
                return false;
        cr0_write(cr0_read() & ~(uintptr_t)CR0_TS);
        return true;
}

/* #DB at an entry reached with TF set, by a gate that keeps TF: the program must get the step, not
 * the entry. */
static bool step_owed(uintptr_t vector, struct frame *frame)
{
        if (!breakpoint_stepped(vector, frame))
                return false;
        frame->flags &= ~(uintptr_t)RFLAGS_TF;
        work_add(WORK_SINGLE_STEP);
        trap_single_steps++;
        return true;
}

/* The same for an entry on a trusted program's stack: on the way in the step is delayed, too. Once
 * the program's flags are restored, the next step is the program's. */
static __attribute__((cold, noinline)) bool entry_stepped(struct frame *frame)
{
        if (!from_entry(frame))
                return false;
        if (!is_marked(frame, ways_out, ways_out_end))
                return step_owed(VECTOR_DB, frame);
        dr6_write(DR6_CLEAR);
        return true;
}

#define R AREA_READ, AREA_READ
#define W AREA_WRITE, AREA_WRITE
#define X AREA_EXECUTE, AREA_EXECUTE
#define SIXTEEN(a, b) a, b, a, b, a, b, a, b
#define THIRTY_TWO SIXTEEN(R, W), SIXTEEN(X, X) /* bit 1 is PF_WRITE, bit 4 PF_FETCH */
#define ALL THIRTY_TWO, THIRTY_TWO, THIRTY_TWO, THIRTY_TWO
const uint8_t fault_access[256] = {ALL, ALL};
_Static_assert(PF_WRITE == 2 && PF_FETCH == 16, "fault_access");

static fault_function *ask; /* memory_fault(), or NULL */

/* A program touched its memory, or the kernel did on its behalf. At CPL 0 the error code's U is
 * clear for a trusted program, too. */
static inline enum fault ask_memory(const struct frame *frame)
{
        return cpu_current
                       ? ask(cpu_current->memory, cr2_read(), fault_access[(uint8_t)frame->number])
                       : FAULT_UNMAPPED;
}

/* No frame is free for the page: a program ends. The access is tried again, or fails if it is the
 * kernel's for this one. The kernel's gives no turns: what it is part of has looked already. */
static bool page_missed(struct frame *frame, bool user)
{
        return above.page_lost(frame, FAULT_NO_MEMORY, user) || fixed_up(frame);
}

/* A fault in the kernel's own code, with no fix-up in the main table. Instructions of sets have a
 * separate one, so the search in the main table takes no longer. */
static __attribute__((cold, noinline)) void not_announced(unsigned vector, struct frame *frame)
{
        if (mark_followed(frame, fault_fixups_of_sets, fault_fixups_of_sets_end) ||
            above.explains(vector, frame, false))
                return;
        if (is_wild_jump(frame_stack(frame)))
                entry_jumped_wild();
        else
                panic(frame, "%s in the kernel, error %lx, cr2 %p", exceptions[vector].name,
                      (unsigned long)frame->number, (void *)cr2_read());
}

static void exception(unsigned vector, struct frame *frame, bool user)
{
        if (user)
                above.fault(vector, frame);
        else if (!step_owed(vector, frame) && !segments_fixed_up(vector, frame) && !fixed_up(frame))
                not_announced(vector, frame);
}

/* With half protection a trusted program's fault may arrive as #DF (arch's registers.c). */
static void double_fault(struct frame *frame)
{
        unsigned vector = trap_starved(frame);
        if (!vector)
                panic(frame, "#DF, double fault; cr2 %p", (void *)cr2_read());
        chain_end(TOLL_FIXED_UP);
        trap_way.vector(vector, frame);
}

const struct frame *interrupted_frame;
bool interrupted_user;

static void dispatch_interrupt(uintptr_t vector, struct frame *frame, bool user)
{
        if (frame->flags & RFLAGS_VM) { /* QEMU's, before the first fetch */
                frame->number = 0;
                above.fault(VECTOR_GP, frame);
        }
        interrupted_frame = frame;
        interrupted_user = user;
        pic_interrupt((unsigned)vector);
}

/* Returns whether to return to a program. */
static bool dispatch(uintptr_t vector, struct frame *frame, bool user)
{
        if (vector >= VECTOR_IRQ0)
                dispatch_interrupt(vector, frame, user);
        else if (vector == VECTOR_NMI)
                nmi(frame);
        else if (vector == VECTOR_DF)
                double_fault(frame);
        else if (vector == VECTOR_MC)
                panic(frame, "%s", exceptions[vector].name);
        else if (task_switched(vector) || (vector == VECTOR_DB && debug(frame)))
                return user;
        else if (vector == VECTOR_DB && user && entry_stepped(frame))
                return false;
        else
                exception((unsigned)vector, frame, user);
        return user;
}

static inline void page_refused(struct frame *frame, enum fault found, bool user)
{
        if (user)
                process_page_fault(frame, found);
        else if (!(cpu_trusted && segments_fixed_up(VECTOR_PF, frame)) && !fixed_up(frame))
                not_announced(VECTOR_PF, frame);
}

/* The stack of a program on i386 has no room for the words of an exit (arch/i386/return.asm). */
void trap_stack_fault(struct frame *frame)
{
        frame->number = PF_WRITE;
        process_page_fault(frame, ask_memory(frame));
}

/* An area has the page, but no frame or no file for it. */
static __attribute__((cold, noinline)) void page_lost(struct frame *frame, enum fault found,
                                                      bool user)
{
        if (found == FAULT_NO_MEMORY &&
            (frame_refill() || (user && heap_sort()) || page_missed(frame, user)))
                return;
        if (found == FAULT_BEYOND && user)
                above.page_lost(frame, found, user);
        else
                page_refused(frame, found, user);
}

static __attribute__((noinline)) bool page_fault(struct frame *frame, enum fault found)
{
        bool user = from_user(frame);
        if (found > FAULT_FORBIDDEN)
                page_lost(frame, found, user);
        else if (found != FAULT_RESOLVED)
                page_refused(frame, found, user);
        else
                cpu_current->faults++;
        if (user)
                frame->number = NO_CALL; /* the error code was read */
        return user;
}

struct trap_way trap_way = {.vector = trap_dispatch};

void trap_by(const struct trap_way *way)
{
        trap_way = way ? *way : (struct trap_way){trap_dispatch, ask};
}

void trap_init(fault_function *memory)
{
        ask = memory;
        trap_by(NULL);
}

/* Usually a program at CPL 3 touched memory without the right to. */
bool trap_page_fault(enum fault found, struct frame *frame)
{
        if ((found == FAULT_UNMAPPED || found == FAULT_FORBIDDEN) && frame->cs & 3) {
                process_page_fault(frame, found);
                frame->number = NO_CALL;
                return true;
        }
        return found == FAULT_NOT_ASKED ? trap_way.vector(VECTOR_PF, frame)
                                        : page_fault(frame, found);
}

bool trap_dispatch(uintptr_t vector, struct frame *frame)
{
        if (vector == VECTOR_PF)
                return page_fault(frame, ask_memory(frame));
        bool user = dispatch(vector, frame, from_user(frame));
        if (user)
                frame->number = NO_CALL;
        return user;
}

/* Called by arch/exit.asm: IRET or SYSEXIT refused the program's frame, or a trusted program jumped
 * into the kernel's half and faulted there. */
_Noreturn void process_refused(void)
{
        above.kill("the processor refused to return to it");
}

_Noreturn void process_jumped_wild(void)
{
        above.kill("it jumped into the kernel, which faulted on its stack");
}
