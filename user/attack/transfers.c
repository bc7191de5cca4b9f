/* transfers.c - far jump, call, return and IRET to the selectors of selectors.c. A successful
 * transfer reaches UD2; a call through the call gate returns. */
#include "attack.h"

#define RIGHTS_SEGMENT 0x1000 /* S: code or data, not a gate */
#define RIGHTS_CODE 0x0800
#define RIGHTS_TYPE(rights) ((rights) >> 8 & 15)
#define CALL_GATE 12

void far_jump(uintptr_t), far_call(uintptr_t), far_return(uintptr_t), interrupt_return(uintptr_t);
unsigned selector_rights(uintptr_t selector);

static const struct {
        const char *name;
        void (*go)(uintptr_t);
        bool returns, strict;
} ways[] = {{"jump", far_jump, false, true},
            {"call", far_call, false, false},
            {"return", far_return, true, false},
            {"iret", interrupt_return, true, false}};

/* A return needs RPL 3, because it may not raise the privilege. A call from 64-bit to 32-bit code
 * pushes at the low half of RSP. (QEMU 7.2 reads the frame of RETF and IRET with kernel rights: #PF
 * with SMAP.) */
static unsigned ends(unsigned which, unsigned selector)
{
        unsigned rights = selector_rights(selector);
        if (rights & RIGHTS_SEGMENT && rights & RIGHTS_CODE &&
            (!ways[which].returns || (selector & 3) == 3))
                return ways[which].strict ? ILL : ILL | SEGV | BUS;
        if (!(rights & RIGHTS_SEGMENT) && RIGHTS_TYPE(rights) == CALL_GATE &&
            ways[which].go == far_call)
                return LIVES;
        return SEGV;
}

static unsigned count(void)
{
        return sizeof ways / sizeof *ways * SELECTORS;
}

static void at(unsigned i, struct attack *attack, char name[ATTACK_NAME])
{
        unsigned which = i / SELECTORS, selector = i % SELECTORS;
        snprintf(name, ATTACK_NAME, "transfer/%s/%x", ways[which].name, selector);
        *attack = (struct attack){name, ends(which, selector), ways[which].go, selector};
}

const struct row transfers_row = {.name = "transfers", .at = at, .whole = count};
