/* tls.c - a segment register holds a selector whose descriptor set_thread_area(2) then changes; the
 * kernel must reload it, on each of its exits. 32-bit programs only: in 64-bit mode these registers
 * are flat, and the call does not exist. */
#include "attack.h"

#define FLAT USER_DESC_FLAT
#define READ_ONLY (FLAT | 1 << 3)
#define EMPTY (1 << 3 | 1 << 5) /* read-only and not present: Linux's empty descriptor */

void keep_ds(uintptr_t), keep_es(uintptr_t), keep_fs(uintptr_t), keep_gs(uintptr_t),
        keep_ss(uintptr_t);

static const struct {
        const char *name;
        void (*keep)(uintptr_t);
} registers[] = {
        {"ds", keep_ds}, {"es", keep_es}, {"fs", keep_fs}, {"gs", keep_gs}, {"ss", keep_ss}};
#define REGISTERS_KEPT (sizeof registers / sizeof *registers)

static const struct {
        const char *name;
        struct user_desc now;
} changes[] = {{"same", {0, 0, 0xfffff, FLAT}},
               {"empty", {0, 0, 0, EMPTY}},
               {"read_only", {0, 0, 0xfffff, READ_ONLY}},
               {"one_byte", {0, 0, 0, FLAT & ~0x10}}};
#define CHANGES (sizeof changes / sizeof *changes)

static void ask(void)
{
        call(NUMBER_getpid);
}

static void step(void)
{
        __asm__ volatile("push $0x302; popf; nop; nop" : : : "memory", "cc");
}

static void fault(void)
{
        __asm__ volatile("ud2");
}

static void touch(void)
{
        static uint8_t fresh[3 * PAGE];
        *(volatile uint8_t *)&fresh[PAGE] = 1;
}

static void sleep_once(void)
{
        static const struct timespec moment = {0, 1000000};
        call(NUMBER_nanosleep, &moment);
}

static void fork_once(void)
{
        if (!call(NUMBER_fork))
                call(NUMBER_exit_group, 0);
}

static void signal_once(void)
{
        call(NUMBER_kill, call(NUMBER_getpid), SIGUSR1);
}

static const struct {
        const char *name;
        void (*happen)(void);
        unsigned ends; /* other than for a removed data segment */
} events[] = {{"call", ask, LIVES},
              {"step", step, TRAP},
              {"fault", fault, ILL},
              {"touch", touch, LIVES},
              {"sleep", sleep_once, LIVES},
              {"fork", fork_once, LIVES},
              {"signal", signal_once, 1u << SIGUSR1}};
#define EVENTS (sizeof events / sizeof *events)

static void change(uintptr_t argument)
{
        static struct user_desc flat = {(uint32_t)-1, 0, 0xfffff, FLAT}, then;
        then = changes[argument / EVENTS % CHANGES].now;
        if (call(NUMBER_set_thread_area, &flat))
                not_here();
        then.entry = flat.entry;
        registers[argument / EVENTS / CHANGES].keep(flat.entry << 3 | 3);
        call(NUMBER_set_thread_area, &then);
        events[argument % EVENTS].happen();
}

static unsigned count(void)
{
        return REGISTERS_KEPT * CHANGES * EVENTS;
}

static void at(unsigned i, struct attack *attack, char name[ATTACK_NAME])
{
        unsigned which = i / EVENTS / CHANGES, becomes = i / EVENTS % CHANGES;
        bool needed =
                becomes && registers[which].keep != keep_fs && registers[which].keep != keep_gs;
        snprintf(name, ATTACK_NAME, "tls/%s/%s/%s", registers[which].name, changes[becomes].name,
                 events[i % EVENTS].name);
        *attack = (struct attack){name, events[i % EVENTS].ends | (needed ? LIVES | SEGV | BUS : 0),
                                  change, i};
}

const struct row tls_row = {.name = "tls", .at = at, .whole = count};
