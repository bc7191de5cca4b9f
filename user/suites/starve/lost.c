/* lost.c - timer interrupts that hit a bad stack. An interrupt that was acknowledged, but whose
 * frame could not be pushed, is lost unless the kernel looks for it in the in-service registers of
 * the 8259 and the local APIC. It stays in service, and blocks all others. */
#include "starve.h"

#define PIC1 0x20
#define EOI 0x20
#define PHASES 1000 /* tries: their delays cover more than a period in Bochs */

/* Sends it to both controllers: one of them has nothing in service. */
static void end_of_interrupt(bool has_apic)
{
        __asm__ volatile("outb %0, %1" : : "a"((uint8_t)EOI), "Nd"((uint16_t)PIC1));
        if (has_apic)
                *apic(APIC_EOI) = 0;
}

static const struct way *way_named(const char *name)
{
        const struct way *way = ways;
        while (strcmp(way->name, name))
                way++;
        return way;
}

/* IF is off except in HLT, so each try takes one interrupt. If none is counted it was lost. Each
 * try begins at another phase of the timer. */
static void hit(unsigned n, long level, const char *what, bool loses)
{
        const struct stack *stack = stack_named("demand-zero");
        const struct way *way = way_named("interrupt");
        const char *wrong = NULL;
        bool has_apic = !way_missing(way_named("nmi"));
        unsigned lost = 0;
        timer(TIMER_HITS);
        toll_call(NUMBER_toll_protect, level);
        __asm__ volatile("cli" : : : "memory");
        struct toll_counts before = counts_now();
        for (unsigned i = 0; i < n && !wrong; i++) {
                for (volatile unsigned spin = 0; spin < i % PHASES; spin++)
                        ;
                wrong = try_once(way, stack, CHAINED + i);
                lost += counts_now().ticks == try_ticks;
                if (loses)
                        end_of_interrupt(has_apic);
        }
        unsigned found = counts_now().lost_interrupts - before.lost_interrupts;
        __asm__ volatile("sti" : : : "memory");
        toll_call(NUMBER_toll_protect, 2);
        timer(TIMER_USUAL);
        chain_print(what, "resumed");
        print("%s: lost %u of %u, found in service %u\n", what, lost, n, found);
        check(!wrong && lost == (loses ? n : 0) && found == (loses || WIDE ? 0 : n), what,
              "lost %u of %u, found in service %u%s%s", lost, n, found, wrong ? ": " : "",
              wrong ? wrong : "");
}

void try_lost(unsigned n)
{
        hit(n, 1, "interrupts, half protected", true);
        hit(n, 2, "interrupts, protected", false);
}
