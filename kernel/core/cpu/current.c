/* current.c - data of the program that runs on the one processor. Code below the threads may read
 * it; thread/schedule.c and machine/quiet.c write it. */
#include "cpu/current.h"
#include "cpu/work.h"

struct thread *cpu_current, *threads;
uintptr_t cpu_stack SHOWN = (uintptr_t)boot_stack_top;
uintptr_t cpu_user_sp SHOWN;
uint8_t cpu_work, cpu_trusted;
bool cpu_quiet;
