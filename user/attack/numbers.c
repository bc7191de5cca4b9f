/*
 * numbers.c - call numbers beyond the table, negative ones, and ones with high bits set. Linux
 * takes the low half of rax; Tollgate may refuse the rest: both are accepted, nothing else.
 */
#include "attack.h"

static const struct {
        const char *name;
        uint64_t number; /* a 32-bit program uses its low half */
} numbers[] = {
        {"unused", 489},
        {"beyond", 512},
        {"far_beyond", 0xffff},
        {"x32", 0x40000000},
        {"minimum", 0x80000000},
        {"minus_1", 0xffffffffffffffff},
        {"minus_4096", 0xfffffffffffff000},
        {"high_bit", 0x8000000000000000},
        {"bit_32", 0x100000000},
        {"wraps_to_the_table", 0x2000000000000000},
        {"bit_61_and_getpid", 0x2000000000000000 | NUMBER_getpid},
        {"bit_32_and_getpid", 0x100000000 | NUMBER_getpid},
        {"bit_31_and_getpid", 0x80000000 | NUMBER_getpid},
};

static void attempt_number(uintptr_t index)
{
        static long (*const ways[])(long, ...) = {system_call, toll_call};
        long number = (long)numbers[index].number;
        long pid = call(NUMBER_getpid);
        if (!(uint32_t)number)
                not_here(); /* if the low half counts it is a real call, and may wait */
        for (int i = 0; i <= on_tollgate(); i++) {
                long result = CALL_BY(ways[i], number);
                if (result != -ENOSYS && result != pid)
                        wrong("%s answered %lx", i ? "INT 80h" : "SYSCALL", (unsigned long)result);
        }
}

static unsigned count(void)
{
        return sizeof numbers / sizeof *numbers;
}

static void at(unsigned i, struct attack *attack, char name[ATTACK_NAME])
{
        snprintf(name, ATTACK_NAME, "number/%s", numbers[i].name);
        *attack = (struct attack){name, LIVES, attempt_number, i};
}

const struct subject numbers_subject = {"numbers", count, at};
