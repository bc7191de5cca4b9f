/*
 * call.c - a random system call: mostly one that there is, by a random way, with arguments that
 * kernels have stumbled over.
 */
#include "calls.h"
#include "linux.h"
#include "torture.h"

#define SCRATCH 8192
#define NAME 32

static uint8_t scratch[SCRATCH] __attribute__((aligned(4096)));
static bool tollgate;

static long init(void)
{
        tollgate = system_call(NUMBER_toll_row, 0, scratch) != -ENOSYS;
        return 0;
}

/* On another kernel only calls of the table are made: its other numbers are calls, too. */
static long choose(struct random *random)
{
        if (tollgate && !random_below(random, 8))
                return (long)random_word(random, 0) | 0x200;
        for (;;) {
                const struct named_call *call =
                        &named_calls[random_below(random, named_call_count)];
                if (call_is_tame(call))
                        return call->number;
        }
}

static unsigned act(struct random *random)
{
        long number = choose(random), a[6];
        for (unsigned i = 0; i < 6; i++)
                a[i] = (long)random_word(random, (uintptr_t)scratch);
        if (number == NUMBER_write && (a[0] & -2) == 0) /* the console is for people */
                a[0] = -1;
        if (number == NUMBER_write && a[0] > 0 && a[0] < 64)
                a[0] += 64;
        long (*call)(long, ...) = tollgate && random_below(random, 2) ? toll_call : system_call;
        long result = call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
        return (unsigned long)result > -256UL ? (unsigned)-result : 0;
}

static void outcome_name(unsigned outcome, char *to, unsigned size)
{
        if (outcome)
                snprintf(to, size, "error %u", outcome);
        else
                snprintf(to, size, "success");
}

const struct kind kind_call = {
        .name = "call",
        .init = init,
        .act = act,
        .outcome_name = outcome_name,
        .varied = 3,
};
