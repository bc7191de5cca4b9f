/* fault.c - turns a program's exceptions into signals, with Linux's codes and addresses. */
#include "process/fault.h"
#include "clock/image.h"
#include "cpu/cpu.h"
#include "cpu/features.h"
#include "machine/console.h"
#include "mem/memory.h"
#include "process/death.h"
#include "process/end.h"
#include "process/process.h"
#include "process/sigframe.h"
#include "thread/thread.h"
#include "trap/dispatch.h"

/* The first unmasked exception flag (SDM 1, "x87 FPU Floating-Point Exception Handling", "MXCSR
 * Control and Status Register"). */
static int float_code(unsigned vector)
{
        static const struct {
                uint8_t flags, code;
        } codes[] = {{0x01, FPE_FLTINV},
                     {0x04, FPE_FLTDIV},
                     {0x08, FPE_FLTOVF},
                     {0x12, FPE_FLTUND},
                     {0x20, FPE_FLTRES}};
        uint32_t flags;
        if (vector == VECTOR_MF) {
                uint16_t status, control;
                __asm__ volatile("fnstsw %0; fnstcw %1" : "=m"(status), "=m"(control));
                flags = status & ~(uint32_t)control;
        } else {
                uint32_t mxcsr;
                __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
                flags = mxcsr & ~(mxcsr >> 7);
        }
        for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
                if (flags & codes[i].flags)
                        return codes[i].code;
        return SI_KERNEL;
}

static __attribute__((cold, noinline)) void say_death(unsigned vector, const struct frame *frame,
                                                      uintptr_t address)
{
        const struct exception *e = &exceptions[vector];
        if (!death_said(task()->process))
                return;
        say(" by %s: %s at ip %p", e->signal_name, e->name, (void *)frame->ip);
        if (vector == VECTOR_PF)
                say(", %s address %p (error %lx)",
                    frame->number & PF_WRITE   ? "writing"
                    : frame->number & PF_FETCH ? "executing"
                                               : "reading",
                    (void *)address, (unsigned long)frame->number);
        else if (frame->number)
                say(" (error %lx)", (unsigned long)frame->number);
        say("\n");
}

/* Only QEMU's IRET at CPL 3 enters virtual-8086 mode, with CS, IOPL and IF of the program's choice.
 * The kernel's IRET does not go back there in long mode: it would take CS for a selector. */
static inline void leave_v86(struct frame *frame)
{
        if (!(frame->flags & RFLAGS_VM))
                return;
        frame->flags = RFLAGS_FIXED | RFLAGS_IF;
        frame->cs = cpu_trusted ? KERNEL_CS : frame->cs | 3;
        frame->ss = cpu_trusted ? KERNEL_DS : frame->ss | 3;
}

void process_page_fault(struct frame *frame, enum fault found)
{
        leave_v86(frame);
        if (frame->ip >= VDSO_LOWEST && vdso_fixed_up(VECTOR_PF, frame, cpu_current->origin))
                return;
        struct signal_info *info = signal_force(SIGSEGV);
        if (!info) {
                say_death(VECTOR_PF, frame, cr2_read());
                process_end_by(SIGSEGV);
                return;
        }
        /* The sender is not set (signal_of_fault). No details for addresses in the kernel's half.
         * At CPL 0 the processor leaves U clear. */
        uintptr_t address = cr2_read(), limit = cpu_current->memory->limit;
        info->signal = SIGSEGV;
        info->code = found == FAULT_FORBIDDEN ? SEGV_ACCERR : SEGV_MAPERR;
        info->address = address;
        info->value = 0;
        info->error = (unsigned)frame->number | PF_USER | (address >= limit ? PF_PRESENT : 0);
        info->trap = VECTOR_PF;
        info->flags = 0;
}

void process_bus_error(struct frame *frame)
{
        uintptr_t address = cr2_read();
        leave_v86(frame);
        struct signal_info *info = signal_forced(SIGBUS);
        if (!info) {
                if (death_said(task()->process))
                        say(" by SIGBUS at ip %p: the file that is mapped at %p has ended, or has "
                            "no room\n",
                            (void *)frame->ip, (void *)address);
                process_end_by(SIGBUS);
                return;
        }
        info->code = BUS_ADRERR;
        info->address = address;
        info->error = (unsigned)frame->number | PF_USER;
        info->trap = VECTOR_PF;
}

void process_fault(unsigned vector, struct frame *frame)
{
        leave_v86(frame);
        if (frame->ip >= VDSO_LOWEST && vdso_fixed_up(vector, frame, cpu_current->origin))
                return;
        const struct exception *e = &exceptions[vector];
        struct signal_info *info = signal_forced(e->signal);
        if (!info) {
                say_death(vector, frame, 0);
                process_end_by(e->signal);
                return;
        }
        info->trap = (uint8_t)vector;
        info->error = (unsigned)frame->number;
        if (vector == VECTOR_MF || vector == VECTOR_XM) {
                info->code = float_code(vector);
                info->address = frame->ip;
        } else if (e->code) {
                info->code = e->code;
                info->address = e->at_ip ? frame->ip : 0;
        }
}
