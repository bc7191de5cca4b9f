/* insn.c - a random sequence of instructions with random registers, flags and stack.
 *
 * A grammar prefers instructions that involve a kernel: gates, far transfers, segment loads, flags,
 * strings, privileged instructions. Entries into the kernel follow a harmless call number. Short
 * branches go forward. All other executable memory is INT3, even data and stack on a machine
 * without NX. So each sequence ends by a signal, and is independent of earlier ones. */
#include "attempt.h"
#include "child.h"
#include "linux.h"
#include "torture.h"

#define PAGE 4096L
#define CODE 0x20000000L /* one page; nothing is mapped behind it */
#define DATA 0x20010000L /* two pages that registers may point to */
#define STACK 0x20020000L
#define BODY 64 /* bytes per sequence */
#define STACK_WORDS 48
#define DATA_WORDS 16
#define INT3 0xcc
#define FLAGS_TF 0x100
#define FLAGS_AC 0x40000

/* Fixed bytes, then this many random ones. */
static const struct form {
        uint8_t size, bytes[3], tail;
} forms[] = {
        {1, {0xcd}, 1},       /* INT n */
        {1, {0xcc}, 0},       /* INT3 */
        {1, {0xf1}, 0},       /* INT1 */
        {1, {0xce}, 0},       /* INTO */
        {1, {0x8e}, 1},       /* MOV Sreg */
        {2, {0x8e, 0xd0}, 0}, /* MOV SS, AX: shadows the next instruction */
        {1, {0x17}, 0},       /* POP SS, DS, ES */
        {1, {0x1f}, 0},
        {1, {0x07}, 0},
        {2, {0x0f, 0xa1}, 0}, /* POP FS, GS */
        {2, {0x0f, 0xa9}, 0},
        {2, {0x0f, 0xb2}, 1}, /* LSS */
        {1, {0xc4}, 1},       /* LES, VEX */
        {1, {0xc5}, 1},
        {1, {0x9d}, 0}, /* POPF */
        {1, {0x9c}, 0}, /* PUSHF */
        {1, {0xcf}, 0}, /* IRET */
        {2, {0x48, 0xcf}, 0},
        {1, {0xcb}, 0}, /* RETF */
        {2, {0x48, 0xcb}, 0},
        {1, {0xca}, 2},
        {1, {0xc3}, 0},
        {1, {0xc2}, 2},
        {1, {0x9a}, 6}, /* far CALL, JMP */
        {1, {0xea}, 6},
        {1, {0xff}, 1}, /* INC to PUSH, near and far */
        {1, {0xfe}, 1},
        {2, {0x0f, 0x00}, 1}, /* SLDT to VERW */
        {2, {0x0f, 0x01}, 1}, /* SGDT to SWAPGS */
        {2, {0x0f, 0x20}, 1}, /* MOV CR, DR */
        {2, {0x0f, 0x21}, 1},
        {2, {0x0f, 0x22}, 1},
        {2, {0x0f, 0x23}, 1},
        {2, {0x0f, 0x06}, 0}, /* CLTS, SYSRET, INVD, WBINVD, WRMSR, RDMSR, SYSEXIT, RSM */
        {2, {0x0f, 0x07}, 0},
        {2, {0x0f, 0x08}, 0},
        {2, {0x0f, 0x09}, 0},
        {2, {0x0f, 0x30}, 0},
        {2, {0x0f, 0x32}, 0},
        {2, {0x0f, 0x35}, 0},
        {2, {0x0f, 0xaa}, 0},
        {2, {0x0f, 0x02}, 1}, /* LAR, LSL */
        {2, {0x0f, 0x03}, 1},
        {2, {0x0f, 0xae}, 1},       /* FXSAVE to SFENCE */
        {3, {0xf3, 0x0f, 0xae}, 1}, /* RDFSBASE to WRGSBASE */
        {2, {0x0f, 0x0b}, 0},       /* UD2 */
        {1, {0xf4}, 0},             /* HLT, CLI, STI */
        {1, {0xfa}, 0},
        {1, {0xfb}, 0},
        {1, {0xfc}, 0}, /* CLD, STD */
        {1, {0xfd}, 0},
        {1, {0xe4}, 1}, /* IN, OUT */
        {1, {0xee}, 0},
        {1, {0x6c}, 0}, /* INS, OUTS */
        {2, {0xf3, 0x6f}, 0},
        {1, {0xa4}, 0}, /* strings, plain and repeated */
        {1, {0xa7}, 0},
        {1, {0xab}, 0},
        {1, {0xad}, 0},
        {1, {0xae}, 0},
        {2, {0xf3, 0xa5}, 0},
        {2, {0xf3, 0xaa}, 0},
        {2, {0xf2, 0xae}, 0},
        {1, {0xc8}, 3}, /* ENTER, LEAVE */
        {1, {0xc9}, 0},
        {1, {0x62}, 1}, /* BOUND, EVEX */
        {1, {0x63}, 1}, /* ARPL, MOVSXD */
        {1, {0xf7}, 1}, /* TEST to IDIV */
        {1, {0x8f}, 1}, /* POP, XOP */
        {1, {0x8b}, 1}, /* loads, stores, arithmetic */
        {1, {0x89}, 1},
        {1, {0x8d}, 1},
        {1, {0x01}, 1},
        {1, {0x87}, 1},
        {2, {0x0f, 0xc1}, 1},
        {1, {0xdb}, 1}, /* x87 */
        {1, {0xd9}, 1},
        {1, {0xdd}, 1},
        {1, {0x9b}, 0},
        {1, {0xeb}, 1}, /* branches */
        {1, {0x74}, 1},
        {1, {0xe2}, 1},
        {1, {0xe8}, 4},
        {1, {0xd7}, 0}, /* XLAT */
        {1, {0x61}, 0}, /* POPA */
};

static const uint8_t prefixes[] = {0x66, 0x67, 0xf0, 0xf2, 0xf3, 0x26, 0x2e, 0x36,
                                   0x3e, 0x64, 0x65, 0x41, 0x48, 0x4c, 0x4f};

/* Opcodes with varying effects, or that are calls: only emit_entry() may use them. INT 80h and
 * above may be calls, too, depending on the kernel's rows. */
static const uint8_t banned[][2] = {
        {0x0f, 0x05}, {0x0f, 0x34}, {0x0f, 0x31}, {0x0f, 0xc7}, {0x0f, 0xa2}};
#define INT 0xcd

static long init(void)
{
        static const long pages[] = {CODE, DATA, DATA + PAGE, STACK};
        for (unsigned i = 0; i < sizeof pages / sizeof *pages; i++) {
                long at = mmap(pages[i], PAGE, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED);
                if (at != pages[i])
                        return at;
        }
        memset((void *)CODE, INT3, PAGE);
        return attempt_init();
}

static unsigned emit_form(struct random *random, uint8_t *to)
{
        const struct form *form = &forms[random_below(random, sizeof forms / sizeof *forms)];
        unsigned n = 0;
        while (!random_below(random, 4) && n < 3)
                to[n++] = prefixes[random_below(random, sizeof prefixes)];
        for (unsigned i = 0; i < form->size; i++)
                to[n++] = form->bytes[i];
        for (unsigned i = 0; i < form->tail; i++)
                to[n++] = (uint8_t)random_next(random);
        return n;
}

/* MOV EAX, a harmless number; an entry. */
static unsigned emit_entry(struct random *random, uint8_t *to)
{
        static const uint8_t ways[][2] = {{0xcd, 0x80}, {0x0f, 0x05}, {0x0f, 0x34}};
        static const uint32_t numbers[] = {NUMBER_getpid, NUMBER_getppid, 511, 0x10000, 0x80000000};
        uint32_t number = numbers[random_below(random, sizeof numbers / sizeof *numbers)];
        const uint8_t *way = ways[random_below(random, sizeof ways / sizeof *ways)];
        to[0] = 0xb8;
        memcpy(to + 1, &number, sizeof number);
        memcpy(to + 5, way, 2);
        return 7;
}

static void tame(uint8_t *code, unsigned size)
{
        for (unsigned i = 0; i + 1 < size; i++) {
                bool branch =
                        (code[i] & 0xf0) == 0x70 || (code[i] & 0xfc) == 0xe0 || code[i] == 0xeb;
                if (branch)
                        code[i + 1] &= 0x3f;
                if (code[i] == INT)
                        code[i + 1] &= 0x7f;
                for (unsigned b = 0; b < sizeof banned / sizeof *banned; b++)
                        if (code[i] == banned[b][0] && code[i + 1] == banned[b][1])
                                code[i + 1] ^= 0x40;
        }
}

/* Fills `code`. An entry is last, so that no branch overwrites it. */
static void compose(struct random *random, uint8_t *code)
{
        unsigned n = 0, limit = 4 + random_below(random, BODY - 28);
        while (n < limit) {
                if (random_below(random, 8))
                        n += emit_form(random, code + n);
                else
                        code[n++] = (uint8_t)random_next(random);
        }
        code[n++] = 0x90;
        tame(code, n);
        if (random_below(random, 2))
                n += emit_entry(random, code + n);
        memset(code + n, INT3, BODY - n);
}

static void fill(struct random *random, struct attempt *registers)
{
        uintptr_t *stack = (uintptr_t *)(STACK + PAGE / 2);
        memset((void *)DATA, INT3, 2 * PAGE);
        memset((void *)STACK, INT3, PAGE);
        for (unsigned i = 0; i < DATA_WORDS; i++) {
                uintptr_t word = random_word(random, DATA);
                memcpy((void *)(DATA + random_below(random, PAGE)), &word, sizeof word);
        }
        for (unsigned i = 0; i < ATTEMPT_REGISTERS; i++)
                registers->r[i] = random_word(random, DATA);
        registers->r[REG_AX] |= 0x40000000;
        registers->r[REG_SP] = (uintptr_t)stack;
        registers->r[REG_FLAGS] = random_next(random) & ~(uint32_t)(FLAGS_TF | FLAGS_AC);
        if (!random_below(random, 8))
                registers->r[REG_FLAGS] |= random_below(random, 2) ? FLAGS_TF : FLAGS_AC;
        for (unsigned i = 0; i < STACK_WORDS; i++)
                stack[i] = random_word(random, DATA);
}

static unsigned act(struct random *random)
{
        struct attempt registers;
        uintptr_t at;
        mprotect(CODE, PAGE, PROT_READ | PROT_WRITE);
        compose(random, (uint8_t *)CODE);
        fill(random, &registers);
        mprotect(CODE, PAGE, PROT_READ | PROT_EXEC);
        return attempt((const void *)CODE, &registers, &at);
}

static void outcome_name(unsigned outcome, char *to, unsigned size)
{
        snprintf(to, size, "%s", end_name(outcome));
}

const struct row insn_row = {
        .name = "insn", .init = init, .act = act, .outcome_name = outcome_name, .varied = 4};
