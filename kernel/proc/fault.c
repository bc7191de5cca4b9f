/* fault.c - a program's exceptions as signals: which code, which address (Linux's choices). */
#include "cpu/cpu.h"
#include "cpu/features.h"
#include "cpu/trap.h"
#include "dev/console.h"
#include "mem/memory.h"
#include "proc/process.h"

/* #PF's error code (SDM 3A, "Page-Fault Exceptions") */
#define PF_PRESENT 1
#define PF_WRITE 2
#define PF_FETCH 16

/* Vectors whose signal says more than SI_KERNEL. */
static const struct cause {
        uint8_t code;
        bool at_ip; /* the address is the instruction's */
} causes[32] = {
        [0] = {FPE_INTDIV, true},
        [VECTOR_DB] = {TRAP_TRACE, true},
        [6] = {ILL_ILLOPN, true},
        [17] = {BUS_ADRALN, false},
};

/* The first exception flag that is not masked (SDM 1, "x87 FPU Floating-Point Exception Handling",
 * "MXCSR Control and Status Register"). */
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

static void say_death(unsigned vector, const struct frame *frame, uintptr_t address)
{
        const struct exception *e = exception_of(vector);
        say("%s: killed by %s: %s at ip %p", cpu_current->path, e->signal_name, e->name,
            (void *)frame->ip);
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

void process_fault(unsigned vector, struct frame *frame)
{
        struct signal_info info = {
                .signal = exception_of(vector)->signal,
                .code = SI_KERNEL,
                .trap = vector,
                .error = (unsigned)frame->number,
        };
        if (vector == VECTOR_PF) {
                info.address = cr2_read();
                if (info.address >= cpu_current->memory->limit)
                        info.error |= PF_PRESENT; /* of the kernel's half nothing is told */
                else if (info.error & PF_PRESENT)
                        info.code = SEGV_ACCERR;
                if (info.code != SEGV_ACCERR)
                        info.code = SEGV_MAPERR;
        } else if (vector == VECTOR_MF || vector == VECTOR_XM) {
                info.code = float_code(vector);
                info.address = frame->ip;
        } else if (causes[vector & 31].code) {
                info.code = causes[vector & 31].code;
                info.address = causes[vector & 31].at_ip ? frame->ip : 0;
        }
        if (signal_force(cpu_current, &info))
                return;
        say_death(vector, frame, cr2_read());
        process_end_by(info.signal);
}
