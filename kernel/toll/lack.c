/* lack.c - tries a breakpoint, a single step and a #DF, each with gates of its own.
 *
 * An emulator that lacks one of them would end a suite that needs it. The #DF is a #GP whose gate
 * is not present: #NP is raised while #GP is delivered, and both are contributory (SDM 3A,
 * "Interrupt 8-Double Fault Exception (#DF)"). An emulator without this rule delivers #NP alone,
 * and continues. */
#include "toll/lack.h"
#include "cpu/breakpoint.h"
#include "cpu/cpu.h"
#include "cpu/descriptor.h"
#include "gates.h"
#include "machine/console.h"
#include "toll.h"

#define VECTOR_NP 11
#define TYPE_BYTE 5 /* a gate's type, its DPL, and whether it is present */
#define PRESENT 0x80
#define NO_SELECTOR 0xfff8 /* behind the end of the GDT */

unsigned lacks;

static struct gates gates;
static void *back[5];
static volatile bool taken;

/* Entered by a gate that keeps the stack; the frame on it is abandoned. */
static void lack_take(void)
{
        taken = true;
        __builtin_longjmp(back, 1);
}

static void lack_pass(void)
{
        __builtin_longjmp(back, 1);
}

static void step(void)
{
        flags_back(flags_read() | RFLAGS_TF);
        __asm__ volatile("nop; nop");
}

static void fault_twice(void)
{
        __asm__ volatile("mov %w0, %%gs" : : "r"(NO_SELECTOR));
}

/* Whether `act` raises `vector`. */
static __attribute__((noinline)) bool comes(unsigned vector, void (*act)(void))
{
        struct table_register usual;
        uintptr_t flags = flags_read();
        interrupts_off();
        __asm__ volatile("sidt %0" : "=m"(usual));
        descriptor_usual(&gates, 0, VECTORS);
        descriptor_odd_interrupt(&gates, VECTOR_NP, (const void *)lack_pass);
        descriptor_odd_interrupt(&gates, vector, (const void *)lack_take);
        ((uint8_t *)&gates.idt[VECTOR_GP])[TYPE_BYTE] &= (uint8_t)~PRESENT;
        taken = false;
        __asm__ volatile("lidt %0" : : "m"(gates.idtr));
        if (!__builtin_setjmp(back))
                act();
        __asm__ volatile("lidt %0" : : "m"(usual));
        dr6_write(DR6_CLEAR);
        flags_back(flags);
        return taken;
}

void lack_try(void)
{
        if (!breakpoint_try())
                say("There are no breakpoints: entries into the kernel are not counted.\n");
        lacks = (comes(VECTOR_DB, step) ? 0u : TOLL_LACKS_step) |
                (comes(VECTOR_DF, fault_twice) ? 0u : TOLL_LACKS_double_fault);
        if (lacks & TOLL_LACKS_step)
                say("There are no single steps: what takes one is not tried.\n");
        if (lacks & TOLL_LACKS_double_fault)
                say("There is no #DF: no stack is taken away in ring 0, and a trusted program has "
                    "its stack from its start.\n");
}

const char *lack_of(unsigned vector)
{
        return vector == VECTOR_DB && lacks & TOLL_LACKS_step
                       ? "no single steps: TF raises no #DB here"
                       : NULL;
}
