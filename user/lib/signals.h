/* signals.h - shared by signal tests: actions and masks, an exit from a handler without return,
 * faults on demand (signals.asm and arch's). */
#pragma once
#include "linux.h"

extern char restorer_old[]; /* for handlers without SA_SIGINFO */
extern char toll_return[];  /* for handlers with SA_SIGINFO; by INT 80h, whatever is armed */

/* Calls f(argument). 0 if it returns, 1 if a handler set its context to guarded_back. */
long guarded_call(void (*f)(uintptr_t), uintptr_t argument);
extern char guarded_back[];

/* Calls function(a, b) with SIGTRAP before each instruction, and at its return to stepped_back. */
void stepped_call(const void *function, long a, long b);
extern char stepped_back[];

void sigreturn_at(uintptr_t sp); /* rt_sigreturn with this stack pointer */
/* kill(pid, signal) with a pattern in the 128 bytes below the stack pointer: changed bytes */
long kill_over_red_zone(long pid, long signal);

/* Each faults at its first instruction or at the label _at, and ends at _end. */
void fault_write(uintptr_t address);
extern char fault_write_end[];
/* -512 in the result register, INT 80h before the instruction: not a call, so not restarted */
void fault_after_call(uintptr_t unused);
extern char fault_after_call_at[];

/* rt_sigprocmask: returns the old mask. (0, 0) only reads it. */
uint64_t signal_mask(int how, uint64_t set);
/* rt_sigaction with the suitable restorer */
long signal_act(int signal, const void *handler, unsigned long flags, uint64_t mask);
long signal_self(int signal); /* kill */
bool has_fxsr(void);          /* FXSAVE and SSE */
