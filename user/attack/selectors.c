/* selectors.c - every selector of the GDT, of two descriptors beyond its end, and as many for the
 * LDT, loaded into every segment register. The expected result follows from VERR, VERW and LAR (SDM
 * 3A, "Loading Segment Registers"), whatever tables this kernel has. */
#include "attack.h"

void load_ds(uintptr_t), load_es(uintptr_t), load_fs(uintptr_t), load_gs(uintptr_t),
        load_ss(uintptr_t);
bool selector_reads(uintptr_t selector), selector_writes(uintptr_t selector);

static const struct {
        const char *name;
        void (*load)(uintptr_t);
} registers[] = {
        {"ds", load_ds}, {"es", load_es}, {"fs", load_fs}, {"gs", load_gs}, {"ss", load_ss}};
#define REGISTERS_LOADED (sizeof registers / sizeof *registers)

static bool may_load(unsigned which, unsigned selector)
{
        if (registers[which].load == load_ss)
                return (selector & 3) == 3 && selector_writes(selector);
        return selector < 4 || selector_reads(selector);
}

static unsigned count(void)
{
        return REGISTERS_LOADED * SELECTORS;
}

static void at(unsigned i, struct attack *attack, char name[ATTACK_NAME])
{
        unsigned which = i / SELECTORS, selector = i % SELECTORS;
        snprintf(name, ATTACK_NAME, "selector/%s/%x", registers[which].name, selector);
        *attack = (struct attack){name, may_load(which, selector) ? LIVES : SEGV,
                                  registers[which].load, selector};
}

const struct row selectors_row = {.name = "selectors", .at = at, .whole = count};
