/* descriptor.c - GDT, TSS and IDT of i386, with gates made by named constructors.
 *
 * SDM 3A, "Segment Descriptors", "Call Gates", "IDT Descriptors", "Task Management". #DF, NMI and
 * #DB are tasks: whatever esp holds then (SYSCALL leaves the program's at CPL 0), the processor
 * saves all registers in tss_main and starts on a stack of the task's own. */
#include "cpu/descriptor.h"
#include "context.h"
#include "cpu/cpu.h"
#include "gates.h"
#include "lib/string.h"
#include "mem/space.h"

#define INDEX(selector) ((selector) >> 3)
static struct tss tss_exception;

#define TYPE_TASK_GATE 5
#define TYPE_TSS 9
#define TYPE_CALL_GATE 12
#define IRET_WORDS 3 /* above a task's frame: an emulator may read them before it checks NT */

static uint64_t gate(unsigned type, unsigned selector, uintptr_t entry, unsigned dpl)
{
        return (entry & 0xffff) | selector << 16 | (uint64_t)type << 40 | (uint64_t)dpl << 45 |
               1ull << 47 | (uint64_t)(entry >> 16) << 48;
}

static uint64_t tss_descriptor(const struct tss *tss)
{
        uintptr_t base = (uintptr_t)tss;
        return (sizeof *tss - 1) | (uint64_t)(base & 0xffffff) << 16 | (uint64_t)TYPE_TSS << 40 |
               1ull << 47 | (uint64_t)(base >> 24) << 56;
}

/* From CPL 0 the gate keeps the program's stack; the entry switches it (trusted/origin.inc). */
void descriptor_set_int(struct gates *gates, unsigned vector, unsigned type, const void *entry)
{
        gates->idt[vector] = gate(type, KERNEL_CS, (uintptr_t)entry, 3);
}

void descriptor_set_callgate(struct gates *gates, const void *entry)
{
        gates->callgate = gate(TYPE_CALL_GATE, KERNEL_CS, (uintptr_t)entry, 3);
}

const struct tss *task_interrupted(void)
{
        return tss_debug.link == TSS_EXCEPTION_SELECTOR ? &tss_exception : &tss_main;
}

static void task_create(unsigned selector, struct tss *tss, void (*entry)(void))
{
        *tss = (struct tss){
                .ip = (uintptr_t)entry,
                .flags = RFLAGS_FIXED,
                .sp = stack_create() - IRET_WORDS * sizeof(uintptr_t),
                .cs = KERNEL_CS,
                .ss = KERNEL_DS,
                .ds = KERNEL_DS,
                .es = KERNEL_DS,
                .iomap_base = sizeof *tss,
        };
        gdt[INDEX(selector)] = tss_descriptor(tss);
}

enum protection cpu_protection = PROTECTION_whole;

/* No gate of the same privilege switches the stack here; the stubs do it (vectors.asm). */
static uint64_t usual_gate(unsigned vector)
{
        bool protected = cpu_protection != PROTECTION_none;
        unsigned task = vector == VECTOR_NMI               ? TSS_NMI_SELECTOR
                        : vector == VECTOR_DB              ? TSS_DB_SELECTOR
                        : vector == VECTOR_DF && protected ? TSS_DF_SELECTOR
                                                           : 0;
        return task ? gate(TYPE_TASK_GATE, task, 0, 0)
                    : gate(TYPE_INTERRUPT_GATE, KERNEL_CS, vector_table[vector], dpl_of(vector));
}

void descriptor_usual(struct gates *gates, unsigned from, unsigned to)
{
        gates->idtr.limit = sizeof gates->idt - 1;
        gates->idtr.base = gates->idt;
        for (unsigned vector = from; vector < to; vector++)
                gates->idt[vector] = usual_gate(vector);
}

void descriptor_odd(struct gates *gates, unsigned vector, unsigned type, const void *entry)
{
        gates->idt[vector] = gate(type, KERNEL_CS, (uintptr_t)entry, dpl_of(vector));
}

void descriptor_odd_task(struct gates *gates, unsigned vector, const void *entry)
{
        tss_exception.ip = (uintptr_t)entry;
        tss_exception.cr3 = cr3_read();
        unsigned dpl =
                vector > VECTOR_INT80 ? 3 : dpl_of(vector); /* a program's INT n, or an exception */
        gates->idt[vector] = gate(TYPE_TASK_GATE, TSS_EXCEPTION_SELECTOR, 0, dpl);
}

void nmi_task(void), debug_task(void), double_fault_task(void);

void descriptor_init(void)
{
        const struct table_register gdtr = {sizeof gdt - 1, gdt};

        tss_main.ss0 = KERNEL_DS;
        tss_main.iomap_base = sizeof(struct tss); /* no bitmap: only the kernel may use ports */
        gdt[INDEX(TSS_SELECTOR)] = tss_descriptor(&tss_main);
        task_create(TSS_NMI_SELECTOR, &tss_nmi, nmi_task);
        task_create(TSS_DB_SELECTOR, &tss_debug, debug_task);
        task_create(TSS_DF_SELECTOR, &tss_double_fault, double_fault_task);
        task_create(TSS_EXCEPTION_SELECTOR, &tss_exception, NULL);
        space_load(cr3_read());

        __asm__ volatile("lgdt %0; ljmp %1, $1f; 1: mov %w2, %%ds; mov %w2, %%es;"
                         "mov %w2, %%ss; mov %w3, %%fs; mov %w3, %%gs; lldt %w3; ltr %w4"
                         :
                         : "m"(gdtr), "i"(KERNEL_CS), "r"(KERNEL_DS), "r"(0), "r"(TSS_SELECTOR)
                         : "memory");
}
