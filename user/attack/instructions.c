/* instructions.c - runs the tables of machine code (privileged.asm, arch's codes.asm). */
#include "attack.h"

uintptr_t own_cs, own_ss;

extern const struct attack __start_code_attacks[], __stop_code_attacks[];

static unsigned count(void)
{
        __asm__("mov %%cs, %0; mov %%ss, %1" : "=r"(own_cs), "=r"(own_ss));
        return (unsigned)(__stop_code_attacks - __start_code_attacks);
}

static void at(unsigned i, struct attack *attack, char name[ATTACK_NAME])
{
        *attack = __start_code_attacks[i];
}

const struct row instructions_row = {.name = "instructions", .at = at, .whole = count};
