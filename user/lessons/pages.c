/* pages.c - touches memory in every way that a page table controls, for the lessons on paging. */
#include "const.h"
#include "signals.h"

static uint8_t code[PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));

/* Skips the forbidden instruction. */
static void on_fault(int signal, struct siginfo *info, struct ucontext *uc)
{
        uc->context.ip = (uintptr_t)guarded_back;
}

void touch(uintptr_t address);
void overwrite(uintptr_t address);
void run(uintptr_t address);

void touch(uintptr_t address)
{
        *(volatile uint8_t *)address = 1;
}

void overwrite(uintptr_t address)
{
        *(volatile uint8_t *)address = 0;
}

void run(uintptr_t address)
{
        ((void (*)(void))address)();
}

int main(void)
{
        uintptr_t fresh =
                (uintptr_t)mmap(0, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
        signal_act(SIGSEGV, (const void *)on_fault, SA_SIGINFO | SA_NODEFER, 0);
        guarded_call(touch, fresh);
        guarded_call(overwrite, (uintptr_t)main);
        code[0] = 0xc3; /* RET */
        guarded_call(run, (uintptr_t)code);
        print("pages: done\n");
        return 0;
}
