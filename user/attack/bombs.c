/*
 * bombs.c - exhausts processes and memory. Each bomb must get an error, or die, alone. Only on
 * Tollgate: another kernel may be somebody's machine.
 */
#include "attack.h"
#include "child.h"

#define PROCESSES_MAX 4096
#define BLOCK 0x400000
#define BLOCKS_UNTOUCHED 50000 /* 200 GB */
#define LIMIT 20000            /* milliseconds */

void exhaust_stack(uintptr_t); /* stubs.asm */
static long pids[PROCESSES_MAX];

/* Forks until that fails; then all children end, and there must be room again. */
static void fork_bomb(uintptr_t rounds)
{
        if (!on_tollgate())
                not_here();
        for (uintptr_t round = 0; round < rounds; round++) {
                unsigned n = 0;
                for (; n < PROCESSES_MAX; n++) {
                        pids[n] = call(NUMBER_fork);
                        if (!pids[n])
                                for (;;)
                                        call(NUMBER_pause);
                        if (pids[n] < 0)
                                break;
                }
                for (unsigned i = 0; i < n; i++)
                        call(NUMBER_kill, pids[i], SIGKILL);
                for (unsigned i = 0; i < n; i++)
                        if (CHILD_SIGNAL(child_wait(pids[i], LIMIT)) != SIGKILL)
                                wrong("child %u of %u did not die", i, n);
                if (!n)
                        wrong("not one process in round %u", (unsigned)round);
        }
}

/* Every child forks again, so no process knows them all. Limited by the depth: 2 to the n. */
static void fork_tree(uintptr_t depth)
{
        if (!on_tollgate())
                not_here();
        for (uintptr_t i = 0; i < depth; i++)
                call(NUMBER_fork);
        for (;;)
                if (call(NUMBER_wait4, -1) < 0)
                        return;
}

static void memory_bomb(uintptr_t touch)
{
        if (!on_tollgate())
                not_here();
        for (unsigned i = 0; touch || i < BLOCKS_UNTOUCHED; i++) {
                long at = call(LIBC_mmap, 0, BLOCK, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1);
                if ((unsigned long)at > -4096UL)
                        return;
                for (long offset = 0; touch && offset < BLOCK; offset += PAGE)
                        *(volatile char *)(at + offset) = 1;
        }
}

static const struct attack bombs[] = {
        {"bomb/fork", LIVES, fork_bomb, 3},
        {"bomb/fork_tree", LIVES, fork_tree, 6},
        {"bomb/memory_untouched", LIVES | 1u << SIGKILL, memory_bomb, 0},
        {"bomb/memory", LIVES | SEGV | BUS | 1u << SIGKILL, memory_bomb, 1},
        {"bomb/stack", SEGV | 1u << SIGKILL, exhaust_stack, 0},
};

static unsigned count(void)
{
        return sizeof bombs / sizeof *bombs;
}

static void at(unsigned i, struct attack *attack, char name[ATTACK_NAME])
{
        (void)name;
        *attack = bombs[i];
}

const struct subject bombs_subject = {"bombs", count, at};
