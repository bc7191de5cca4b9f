/* vectors.c - INT n, for every n. */
#include "attack.h"
#include "toll.h"

extern const unsigned char vector_stubs[256][4];

static void interrupt(uintptr_t vector)
{
        long pid_call = NUMBER_getpid;
        const void *stub = vector_stubs[vector];
        __asm__ volatile("call *%1" : "+a"(pid_call) : "r"(stub) : "memory", "cc");
}

static unsigned count(void)
{
        return 256;
}

/* Whether programs may use a vector: of the rows' vectors the standard ones are armed by default
 * (kernel/core/entry/entry.def). */
static bool is_open(unsigned vector)
{
        struct toll_row row;
        for (long i = 0; !call(NUMBER_toll_row, i, &row); i++)
                if (vector && row.vector == vector && strstr(row.id, "/standard") &&
                    !row.missing[0])
                        return true;
        return vector == 0x80;
}

/* Vectors 3 and 4 have gates for programs, too. */
static void at(unsigned i, struct attack *attack, char name[ATTACK_NAME])
{
        snprintf(name, ATTACK_NAME, "int/%x", i);
        *attack = (struct attack){name, i == 3 ? TRAP : is_open(i) ? LIVES : SEGV, interrupt, i};
}

const struct row vectors_row = {.name = "vectors", .at = at, .whole = count};
