/* refused.c - three actions that ring 3 may not do, for the lesson `refused`. */
#include "const.h"
#include "layout.h"
#include "signals.h"

/* Skips the refused instruction. */
static void on_refusal(int signal, struct siginfo *info, struct ucontext *uc)
{
        uc->context.ip = (uintptr_t)guarded_back;
}

void privileged(uintptr_t unused);
void software(uintptr_t unused);
void supervisor(uintptr_t address);

void privileged(uintptr_t unused)
{
        __asm__ volatile("cli");
}

void software(uintptr_t unused)
{
        __asm__ volatile("int %0" : : "i"(VECTOR_PF));
}

void supervisor(uintptr_t address)
{
        (void)*(volatile char *)address;
}

int main(void)
{
        if (at_cpl_0())
                return 0; /* ring 0 may do all of them */
        signal_act(SIGSEGV, (const void *)on_refusal, SA_SIGINFO | SA_NODEFER, 0);
        guarded_call(privileged, 0);
        guarded_call(software, 0);
        guarded_call(supervisor, KERNEL_BASE + 0x101000);
        return 0;
}
