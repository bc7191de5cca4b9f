/* signals.c - the calls that tests of signals share. */
#include "signals.h"
#include "proc/signal.h"

long call4(long number, long a, long b, long c, long d)
{
        return system_call(number, a, b, c, d, 0L, 0L);
}

uint64_t signal_mask(int how, uint64_t set)
{
        uint64_t old = 0;
        call4(NUMBER_rt_sigprocmask, how, (long)(uintptr_t)&set, (long)(uintptr_t)&old, 8);
        return old;
}

long signal_act(int signal, const void *handler, unsigned long flags, uint64_t mask)
{
        bool more = flags & SA_SIGINFO;
        struct action a = {(uintptr_t)handler,
                           flags | SA_RESTORER,
                           (uintptr_t)(more ? restorer_extended : restorer_plain),
                           {(uint32_t)mask, (uint32_t)(mask >> 32)}};
        return call4(NUMBER_rt_sigaction, signal, (long)(uintptr_t)&a, 0, 8);
}

long signal_self(int signal)
{
        return call4(NUMBER_kill, call4(NUMBER_getpid, 0, 0, 0, 0), signal, 0, 0);
}

bool has_fxsr(void)
{
        uint32_t ax = 1, bx, cx = 0, dx;
        __asm__ volatile("cpuid" : "+a"(ax), "=b"(bx), "+c"(cx), "=d"(dx));
        return dx >> 24 & dx >> 25 & 1; /* FXSR and SSE */
}
