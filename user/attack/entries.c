/* entries.c - enters every row that this program has with a bad stack, with odd flags and directly
 * after MOV SS. On other kernels than Tollgate: Linux's mechanisms. */
#include "attack.h"
#include "row.h"
#include "toll.h"

#define FLAGS_TF 0x100

/* How to enter the kernel (ways.asm): values below WAY_GATE are INT of that number. */
enum {
        WAY_GATE = 256,
        WAY_SYSENTER,
        WAY_SYSCALL,
        WAY_HALF /* enters by the row's own user half */
};
extern struct __attribute__((packed)) {
        uint32_t offset;
        uint16_t selector;
} way_gate;
extern uintptr_t way_half;
long enter_on_stack(unsigned way, long number, uintptr_t sp);
long enter_with_flags(unsigned way, long number, uintptr_t flags);
long enter_behind_ss(unsigned way, long number, uintptr_t flags);

static struct toll_row armed; /* the row to be entered, where one is chosen */
static long armed_index;

/* RFLAGS.IOPL is set by toll_iopl(); a later POPF may not raise it. */
static long enter_with_iopl(unsigned way, long number, uintptr_t flags, long level)
{
        uintptr_t after;
        call(NUMBER_toll_iopl, level);
        row_again(&armed, armed_index, FLAVOUR_clean);
        long result = enter_with_flags(way, number, flags);
        __asm__ volatile("pushf; pop %0" : "=r"(after) : : "memory");
        if ((after >> 12 & 3) > (on_tollgate ? (uintptr_t)level : 0))
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

/* The call gate's own offset counts, not the far pointer's. */
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
} conditions[] = {{"stack_0", enter_on_stack, 0},
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
                  {"mov_ss_all_and_TF", enter_behind_ss, ~(uintptr_t)0}};
#define CONDITIONS (sizeof conditions / sizeof *conditions)

/* Rows on another kernel: Linux's with the same instruction. */
static const struct toll_row linux_rows[] = {
        {.id = "linux/int/standard", .answers = TOLL_ANSWERS_calls, .looks = 1, .vector = 0x80},
        {.id = "linux/syscall/standard", .answers = TOLL_ANSWERS_calls, .looks = 1}};
#define LINUX_ROWS (WIDE ? 2 : 1)

/* The i-th row that `toll` measures, and its index for toll_select(). -1 = no more. */
static long find_row(unsigned i, struct toll_row *row)
{
        if (!on_tollgate) {
                if (i >= LINUX_ROWS)
                        return -1;
                *row = linux_rows[i];
                return i;
        }
        for (long index = 0; !call(NUMBER_toll_row, index, row); index++)
                if (!strcmp(row->suite, "toll") && i-- == 0)
                        return index;
        return -1;
}

/* The same with a cache of one, because all conditions of a row follow each other. */
static long row_of(unsigned i, struct toll_row *row)
{
        static struct toll_row last;
        static unsigned last_i = -1u;
        static long index;
        if (i != last_i)
                index = find_row(last_i = i, &last);
        *row = last;
        return index;
}

/* A row's mechanism: by its vector, or by the instruction before RET in its user half. */
static unsigned way_of(const struct toll_row *row)
{
        static const struct {
                uint8_t first, mask, second;
                uint16_t way;
        } instructions[] = {{0xff, 0x38, 0x18, WAY_GATE}, /* CALL m16:32 */
                            {0x0f, 0xff, 0x34, WAY_SYSENTER},
                            {0x0f, 0xff, 0x05, WAY_SYSCALL}};
        if (row->vector)
                return row->vector;
        if (!on_tollgate)
                return WAY_SYSCALL;
        for (const uint8_t *half = (const uint8_t *)(uintptr_t)row->clean; *half != 0xc3; half++)
                for (unsigned i = 0; i < sizeof instructions / sizeof *instructions; i++)
                        if (half[0] == instructions[i].first &&
                            (half[1] & instructions[i].mask) == instructions[i].second)
                                return instructions[i].way;
        return WAY_HALF;
}

static bool arm(const struct toll_row *row, long index)
{
        if (!on_tollgate || row->missing[0])
                return false;
        if (row->quiet)
                call(NUMBER_toll_quiet, 1);
        armed = *row;
        armed_index = index;
        return !call(NUMBER_toll_select, index, FLAVOUR_clean);
}

/* With a bad stack a 32-bit program has no sixth argument: SYSENTER and SYSCALL return -EFAULT. */
static bool result_is_right(long result, long pid, unsigned way, const struct condition *condition)
{
        if (result == pid)
                return true;
        return !WIDE && way > WAY_GATE && condition->enter == enter_on_stack && result == -EFAULT;
}

/* argument = row * CONDITIONS + condition */
static void enter(uintptr_t argument)
{
        const struct condition *condition = &conditions[argument % CONDITIONS];
        long pid = call(NUMBER_getpid);
        struct toll_control control;
        struct toll_row row;
        long index = row_of(argument / CONDITIONS, &row);
        if (on_tollgate && !call(NUMBER_toll_row, TOLL_CONTROLS, &control))
                way_gate.selector = control.gate_selector;
        way_half = (uintptr_t)row.clean;
        bool is_armed = arm(&row, index);
        unsigned way = way_of(&row);
        long result = condition->enter(way, NUMBER_getpid, condition->value);
        if (is_armed && row.answers != TOLL_ANSWERS_nothing &&
            !result_is_right(result, pid, way, condition))
                wrong("the pid is %lx, not %lx", (unsigned long)pid, (unsigned long)result);
}

/* After SYSENTER the landing returns on a stack that may be invalid. A row that this processor
 * lacks may end in any way. 32-bit programs: on Linux only INT 80h has a defined end. */
static unsigned ends(const struct toll_row *row, const struct condition *condition)
{
        /* A program that may not choose rows has only the standard ones; with INT, the call's. */
        if (row->vector && row->vector != 0x80 && call(NUMBER_toll_select, TOLL_DEFAULT, 0))
                return SEGV;
        unsigned other = row->vector && !row->missing[0] ? 0 : ILL | SEGV | BUS;
        bool steps =
                (condition->enter == enter_with_flags || condition->enter == enter_behind_ss) &&
                condition->value & FLAGS_TF;
        bool late = !row->looks; /* the delayed single step is taken at the next call */
        return other | (steps ? TRAP : LIVES) | (late ? LIVES : 0);
}

/* Arms each row once before the kernel's checksum is taken: parts change its text for good, and
 * frame_leave() until this thread has slept. */
static unsigned count(void)
{
        const struct timespec moment = {0, 2000000};
        static unsigned rows;
        struct toll_row row;
        if (rows)
                return rows * CONDITIONS;
        for (long index; (index = find_row(rows, &row)) >= 0; rows++)
                if (on_tollgate && !call(NUMBER_toll_select, index))
                        call(NUMBER_toll_select, TOLL_DEFAULT, 0);
        nanosleep(&moment, NULL);
        return rows * CONDITIONS;
}

static void at(unsigned i, struct attack *attack, char name[ATTACK_NAME])
{
        const struct condition *condition = &conditions[i % CONDITIONS];
        struct toll_row row;
        row_of(i / CONDITIONS, &row);
        snprintf(name, ATTACK_NAME, "entry%s/%s", strchr(row.id, '/'), condition->name);
        *attack = (struct attack){name, ends(&row, condition), enter, i};
}

const struct row entries_row = {.name = "entries", .at = at, .whole = count};
