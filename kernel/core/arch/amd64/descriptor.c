/* descriptor.c - GDT, TSS and IDT of amd64, with gates made by named constructors.
 *
 * SDM 3A, "Segment Descriptors", "Call Gates" (64-bit mode), "64-Bit Mode IDT", "TSS Descriptor".
 */
#include "cpu/descriptor.h"
#include "gates.h"
#include "lib/string.h"
#include "mem/space.h"

#define INDEX(selector) ((selector) >> 3)
#define TYPE_TSS 9
#define TYPE_CALL_GATE 12

static struct gate gate(unsigned type, uintptr_t entry, unsigned dpl, unsigned ist)
{
        return (struct gate){
                (entry & 0xffff) | KERNEL_CS << 16 | (uint64_t)ist << 32 | (uint64_t)type << 40 |
                        (uint64_t)dpl << 45 | 1ull << 47 | (entry >> 16 & 0xffff) << 48,
                entry >> 32,
        };
}

static struct gate tss_descriptor(uintptr_t base)
{
        return (struct gate){
                (sizeof(struct tss) - 1) | (base & 0xffffff) << 16 | (uint64_t)TYPE_TSS << 40 |
                        1ull << 47 | (base >> 24 & 0xff) << 56,
                base >> 32,
        };
}

/* At CPL 0 INT would stay on the program's stack and overwrite its red zone. Its IST stack is the
 * process's kernel stack, which is empty while the program runs, so no frame has to be moved. */
void descriptor_set_int(struct gates *gates, unsigned vector, unsigned type, const void *entry)
{
        gates->idt[vector] = gate(type, (uintptr_t)entry, 3, gates->trusted ? IST_CALL : 0);
}

void descriptor_set_callgate(struct gates *gates, const void *entry)
{
        gates->callgate = gate(TYPE_CALL_GATE, (uintptr_t)entry, 3, 0);
}

enum protection cpu_protection = PROTECTION_whole;

/* These may interrupt with any stack: that of a program that just entered by SYSCALL, or none. */
static unsigned ist_always(unsigned vector)
{
        switch (vector) {
        case VECTOR_DF: return IST_DF;
        case VECTOR_NMI: return IST_NMI;
        case VECTOR_DB: return IST_DB;
        case VECTOR_MC: return IST_MC;
        default: return 0;
        }
}

/* Chooses the IST stack of a vector's gate, 0 = none. Without one the frame is already in place,
 * and the stubs move it onto itself. */
static unsigned ist_of(unsigned vector)
{
        if (cpu_protection == PROTECTION_none ||
            (cpu_protection == PROTECTION_half && vector != VECTOR_DF))
                return 0;
        unsigned always = ist_always(vector);
        return always ? always : vector == VECTOR_GP ? IST_GP : IST_TRAP;
}

/* A gate to the same privilege keeps the current stack. For programs at CPL 3 that is the kernel's
 * stack, so an exception needs no IST stack and no move. For a trusted program it is the program's
 * own, and no vector may push onto it. */
void descriptor_usual(struct gates *gates, unsigned from, unsigned to)
{
        gates->idtr.limit = sizeof gates->idt - 1;
        gates->idtr.base = gates->idt;
        const uintptr_t *table = gates->trusted ? vector_ist_table : vector_table;
        for (unsigned vector = from; vector < to; vector++)
                gates->idt[vector] = gate(TYPE_INTERRUPT_GATE, table[vector], dpl_of(vector),
                                          gates->trusted ? ist_of(vector) : ist_always(vector));
}

void descriptor_odd(struct gates *gates, unsigned vector, unsigned type, const void *entry)
{
        gates->idt[vector] = gate(type, (uintptr_t)entry, dpl_of(vector), 0);
}

void descriptor_odd_ist(struct gates *gates, unsigned vector, const void *entry)
{
        gates->idt[vector] =
                gate(TYPE_INTERRUPT_GATE, (uintptr_t)entry, dpl_of(vector), ist_of(vector));
}

void descriptor_init(void)
{
        const struct table_register gdtr = {sizeof gdt - 1, gdt};

        for (unsigned i = 1; i <= IST_STACKS; i++)
                tss_main.ist[i - 1] = stack_create();
        tss_main.iomap_base = sizeof(struct tss); /* no bitmap: only the kernel may use ports */

        struct gate descriptor = tss_descriptor((uintptr_t)&tss_main);
        memcpy(&gdt[INDEX(TSS_SELECTOR)], &descriptor, sizeof descriptor);
        __asm__ volatile("lgdt %0; lldt %w1; ltr %w2"
                         :
                         : "m"(gdtr), "r"(0), "r"(TSS_SELECTOR)
                         : "memory");
}
