/*
 * badstack.c - events while a program at CPL 0 has no valid stack, chosen by name (only=NAME).
 *
 */
#include "lib.h"
#include "registers.h"

#define LONG_LOOP 10000000 /* runs as long as many ticks of the fast timer */
#define SHORT_LOOP 1000000
#define WAITS 5000

static void push(void)
{
        without_stack(STACKLESS_push, 0);
}

static void call(void)
{
        without_stack(STACKLESS_call, 0);
}

static void store(void)
{
        without_stack(STACKLESS_store, 0);
}

static void step(void)
{
        without_stack(STACKLESS_step, 0);
}

/* SYSCALL needs no stack; on i386 its sixth argument does, and the return by IRET. */
static void syscall(void)
{
        row_choose("/syscall/standard");
        without_stack(STACKLESS_syscall, 0);
}

static void interrupt(void)
{
        toll_call(NUMBER_toll_timer, TIMER_FAST);
        without_stack(STACKLESS_loop, LONG_LOOP);
}

/* Almost all time is spent in the loop. */
static void nmi(void)
{
        unsigned before = counts_now().nmis;
        print("badstack: waiting for an NMI\n");
        for (unsigned i = 0; i < WAITS && counts_now().nmis == before; i++) {
                __asm__ volatile("cli" : : : "memory");
                without_stack(STACKLESS_loop, SHORT_LOOP);
                __asm__ volatile("sti" : : : "memory");
        }
        print("badstack: %u NMIs\n", counts_now().nmis - before);
}

static const struct {
        const char *name;
        void (*what)(void);
} ways[] = {{"push", push},       {"call", call},           {"store", store}, {"step", step},
            {"syscall", syscall}, {"interrupt", interrupt}, {"nmi", nmi}};

int main(int argc, char **argv)
{
        output_through(toll_call);
        const char *only = option(argv, "only");
        struct toll_counts before = counts_now();
        if (!at_cpl_0() || !only)
                return 0;
        print("badstack: so far %u double faults, %u lost interrupts\n", before.starvations,
              before.lost_interrupts);
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
                if (!strcmp(ways[i].name, only)) {
                        ways[i].what();
                        print("badstack: lived through %s\n", only);
                }
        }
        return 0;
}
