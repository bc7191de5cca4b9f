/*
 * entries.c - every row of the table of mechanisms, entered with a bad stack, with odd flags and
 * directly behind MOV SS. On another kernel than Tollgate: the ways that Linux has.
 */
#include "attack.h"
#include "toll.h"

#define FLAGS_TF 0x100

extern struct __attribute__((packed)) {
        uint32_t offset;
        uint16_t selector;
} way_gate;
long enter_on_stack(unsigned way, long number, uintptr_t sp);
long enter_with_flags(unsigned way, long number, uintptr_t flags);
long enter_behind_ss(unsigned way, long number, uintptr_t flags);

enum {
        INT,
        CALLGATE,
        SYSENTER,
        SYSCALL,
        MECHANISMS,
        STANDARD = 0,
        NOWORK,
        BARE = 3,
        VARIANTS
};
static const char *const mechanisms[] = {"int", "callgate", "sysenter", "syscall"};
static const char *const variants[] = {"standard", "nowork", "service", "bare"};

/* RFLAGS.IOPL as toll_iopl() has set it; POPF behind it may not raise it. */
static long enter_with_iopl(unsigned way, long number, uintptr_t flags, long level)
{
        uintptr_t after;
        call(NUMBER_toll_iopl, level);
        long result = enter_with_flags(way, number, flags);
        __asm__ volatile("pushf; pop %0" : "=r"(after) : : "memory");
        if ((after >> 12 & 3) > (on_tollgate() ? (uintptr_t)level : 0))
                wrong("IOPL is %u", (unsigned)(after >> 12 & 3));
        return result;
}

static long enter_with_iopl_1(unsigned way, long number, uintptr_t flags)
{
        return enter_with_iopl(way, number, flags, 1);
}

static long enter_with_iopl_2(unsigned way, long number, uintptr_t flags)
{
        return enter_with_iopl(way, number, flags, 2);
}

/* A call gate's own offset counts, not the far pointer's. */
static long enter_at_offset(unsigned way, long number, uintptr_t offset)
{
        way_gate.offset = (uint32_t)offset;
        return enter_with_flags(way, number, 0x202);
}

static uint8_t edge[8192] __attribute__((aligned(4096)));

static const struct condition {
        const char *name;
        long (*enter)(unsigned way, long number, uintptr_t value);
        uintptr_t value;
} conditions[] = {
        {"stack_0", enter_on_stack, 0},
        {"stack_1", enter_on_stack, 1},
        {"stack_kernel", enter_on_stack, (uintptr_t)-1 << (WIDE ? 31 : 30)},
        {"stack_top", enter_on_stack, (uintptr_t)-1},
        {"stack_not_canonical", enter_on_stack, (uintptr_t)1 << (WIDE ? 63 : 31)},
        {"stack_last_canonical", enter_on_stack, WIDE ? (uintptr_t)-1 >> 17 : 0x7fffffff},
        {"stack_unmapped", enter_on_stack, 0x10000},
        {"stack_odd", enter_on_stack, (uintptr_t)edge + 4097},
        {"stack_page_end", enter_on_stack, (uintptr_t)edge + 4096},
        {"stack_read_only", enter_on_stack, (uintptr_t)conditions},
        {"NT", enter_with_flags, 0x4202},
        {"TF", enter_with_flags, 0x302},
        {"AC", enter_with_flags, 0x40202},
        {"DF", enter_with_flags, 0x602},
        {"RF", enter_with_flags, 0x10202},
        {"VM", enter_with_flags, 0x20202},
        {"IOPL", enter_with_flags, 0x3202},
        {"VIF_VIP", enter_with_flags, 0x180202},
        {"all", enter_with_flags, ~(uintptr_t)FLAGS_TF},
        {"all_and_TF", enter_with_flags, ~(uintptr_t)0},
        {"IOPL_1", enter_with_iopl_1, 0x3202},
        {"IOPL_2", enter_with_iopl_2, 0x3202},
        {"IOPL_2_all", enter_with_iopl_2, ~(uintptr_t)FLAGS_TF},
        {"offset_odd", enter_at_offset, 1},
        {"offset_3", enter_at_offset, 0x80000003},
        {"offset_end", enter_at_offset, 0xffffffff},
        {"mov_ss", enter_behind_ss, 0x202},
        {"mov_ss_NT_DF_AC", enter_behind_ss, 0x44602},
        {"mov_ss_TF", enter_behind_ss, 0x302},
        {"mov_ss_all_and_TF", enter_behind_ss, ~(uintptr_t)0},
};
#define CONDITIONS (sizeof conditions / sizeof *conditions)

static unsigned way_of(unsigned mechanism, unsigned variant)
{
        return mechanism == INT ? variant : 3 + mechanism;
}

/* True = the row is armed. Rows of another kernel: those that it has under the same instruction. */
static bool arm(unsigned mechanism, unsigned variant)
{
        char want[40];
        struct toll_row row;
        if (!on_tollgate())
                return false;
        snprintf(want, sizeof want, "/%s/%s", mechanisms[mechanism], variants[variant]);
        for (long i = 0; !call(NUMBER_toll_row, i, &row); i++) {
                if (!strstr(row.id, want) || row.missing[0])
                        continue;
                if (row.quiet)
                        call(NUMBER_toll_quiet, 1);
                return !call(NUMBER_toll_select, i);
        }
        return false;
}

static bool on_linux_too(unsigned mechanism, unsigned variant)
{
        return variant == STANDARD && (mechanism == INT || (mechanism == SYSCALL && WIDE));
}

/* On a bad stack a 32-bit program has no sixth argument: SYSENTER and SYSCALL answer -EFAULT. */
static bool result_is_right(long result, long pid, unsigned mechanism,
                            const struct condition *condition)
{
        if (result == pid)
                return true;
        return !WIDE && mechanism >= SYSENTER && condition->enter == enter_on_stack &&
               result == -EFAULT;
}

/* argument = ((mechanism * VARIANTS) + variant) * CONDITIONS + condition */
static void enter(uintptr_t argument)
{
        unsigned row = argument / CONDITIONS;
        unsigned mechanism = row / VARIANTS, variant = row % VARIANTS;
        const struct condition *condition = &conditions[argument % CONDITIONS];
        long pid = call(NUMBER_getpid);
        struct toll_control control;
        if (!call(NUMBER_toll_row, TOLL_CONTROLS, &control))
                way_gate.selector = control.gate_selector;
        bool armed = arm(mechanism, variant);
        if (!armed && !on_tollgate() && !on_linux_too(mechanism, variant))
                not_here();
        long result = condition->enter(way_of(mechanism, variant), NUMBER_getpid, condition->value);
        if (armed && variant != BARE && !result_is_right(result, pid, mechanism, condition))
                wrong("the pid is %lx, not %lx", (unsigned long)pid, (unsigned long)result);
}

/* After SYSENTER the landing returns by a stack that may be none; a row that this processor lacks
 * may end in any way. 32-bit programs: INT 80h on Linux is the only way with an end of its own. */
static unsigned ends(unsigned mechanism, unsigned variant, const struct condition *condition)
{
        unsigned other = mechanism == INT && variant == STANDARD ? 0 : ILL | SEGV | BUS;
        bool steps =
                (condition->enter == enter_with_flags || condition->enter == enter_behind_ss) &&
                condition->value & FLAGS_TF;
        bool late = variant !=
                    STANDARD; /* nobody looks for the step that is owed: the next call does */
        return other | (steps ? TRAP : LIVES) | (late ? LIVES : 0);
}

static unsigned count(void)
{
        return MECHANISMS * VARIANTS * CONDITIONS;
}

static void at(unsigned i, struct attack *attack, char name[ATTACK_NAME])
{
        unsigned row = i / CONDITIONS;
        const struct condition *condition = &conditions[i % CONDITIONS];
        unsigned mechanism = row / VARIANTS, variant = row % VARIANTS;
        snprintf(name, ATTACK_NAME, "entry/%s/%s/%s", mechanisms[mechanism], variants[variant],
                 condition->name);
        *attack = (struct attack){name, ends(mechanism, variant, condition), enter, i};
}

const struct subject entries_subject = {"entries", count, at};
