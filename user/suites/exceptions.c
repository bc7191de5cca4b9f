/* exceptions.c - the cost of an exception, there and back, through every kind of gate. */
#include "const.h"
#include "lib.h"
#include "measure.h"
#include "signals.h"
#include "toll.h"

static volatile uintptr_t vector;

static void handler(int signal, struct siginfo *info, struct ucontext *context)
{
        vector = context->context.trapno;
        context->context.ip = (uintptr_t)guarded_back;
        context->context.flags = RFLAGS_FIXED | RFLAGS_IF;
}

/* IRET with NT switches to the task in the TSS's link, which is empty. */
static void return_nested(uintptr_t unused)
{
        __asm__ volatile("push %0; popf; iretl" : : "r"((uintptr_t)(RFLAGS_FIXED | RFLAGS_NT)));
}

/* A task switch reads and writes the TSS with the kernel's rights, also from CPL 3: the link is
 * read, and #TS is raised (amd64: #GP). If #PF is raised, a task gate would not reach the TSS
 * either, and an unprepared processor may stop. (SDM 3A, "Task Linking", "Access Rights") */
static bool reaches_tss(void)
{
        if (at_cpl_0())
                return true;
        signal_act(SIGSEGV, (const void *)handler, SA_SIGINFO | SA_NODEFER, 0);
        guarded_call(return_nested, 0);
        signal_act(SIGSEGV, NULL, 0, 0);
        return vector != VECTOR_PF;
}

static bool reaches;

static const char *lack(const struct toll_row *row)
{
        return reaches || !strstr(row->id, "/task")
                       ? NULL
                       : "no task gates at CPL 3: a task switch does not reach the TSS";
}

int main(int argc, char **argv)
{
        static const struct order orders[] = {{"move", "plain", false}, {"task", "plain", false}};
        reaches = reaches_tss();
        measure_lack = lack;
        return measure(argv, "exceptions", orders);
}
