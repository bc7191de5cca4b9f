/* signals.c - shared calls of signal tests. */
#include "signals.h"

uint64_t signal_mask(int how, uint64_t set)
{
        uint64_t old = 0;
        rt_sigprocmask(how, &set, &old, sizeof set);
        return old;
}

long signal_act(int signal, const void *handler, unsigned long flags, uint64_t mask)
{
        bool more = flags & SA_SIGINFO;
        const struct sigaction action = {(uintptr_t)handler, flags | SA_RESTORER,
                                         more ? (uintptr_t)signal_return : (uintptr_t)restorer_old,
                                         mask};
        return rt_sigaction(signal, &action, NULL, sizeof mask);
}

long signal_self(int signal)
{
        return kill(getpid(), signal);
}

bool has_fxsr(void)
{
        uint32_t ax = 1, bx, cx = 0, dx;
        __asm__ volatile("cpuid" : "+a"(ax), "=b"(bx), "+c"(cx), "=d"(dx));
        return dx >> 24 & dx >> 25 & 1; /* FXSR and SSE */
}
