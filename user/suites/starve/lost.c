/*
 * lost.c - timer interrupts that hit a bad stack. One that was acknowledged when its frame found no
 * place is lost, unless the kernel looks for it in the 8259's in-service register; and its line is
 * in service from then on, and no other comes.
 */
#include "starve.h"

#define PIC1 0x20
#define EOI 0x20

static void end_of_interrupt(void)
{
        __asm__ volatile("outb %0, %1" : : "a"((uint8_t)EOI), "Nd"((uint16_t)PIC1));
}

/*
 * A tick that finds IF off may be over when IF is on again, for the timer's output falls before it
 * rises: what the 8259 then has is a spurious interrupt, of which nothing is in service. Right
 * behind a tick there is time to come to HLT before the next one.
 */
static void wait_for_tick(void)
{
        __asm__ volatile("sti; hlt; cli" : : : "memory");
}

/*
 * IF is off but in HLT: each try takes one interrupt, or more where the timer is faster than a
 * fault and its recovery. It was lost if none is counted.
 */
static void hit(unsigned n, long level, const char *what, bool loses)
{
        const struct stack *stack = stack_named("demand-zero");
        const struct way *way = ways;
        const char *wrong = NULL;
        unsigned lost = 0;
        while (strcmp(way->name, "interrupt"))
                way++;
        timer(TIMER_FAST);
        toll_call(NUMBER_toll_protect, level);
        __asm__ volatile("cli" : : : "memory");
        struct toll_counts before = counts_now();
        for (unsigned i = 0; i < n && !wrong; i++) {
                wait_for_tick();
                unsigned ticks = counts_now().ticks;
                wrong = try_once(way, stack, CHAINED + i);
                lost += counts_now().ticks == ticks;
                if (loses)
                        end_of_interrupt();
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
