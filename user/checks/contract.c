/* contract.c - what every entry guarantees: registers, flags, segments and their bases, x87 and
 * SSE, numbers, arguments, whatever the program had loaded at the call. As Linux guarantees it
 * (System V ABI; x86's entry_64.S and the vDSO), with the clobbers in each mechanism's file.
 * `samples`=2: of the kernel halves with stamps. */
#include "beside.h"
#include "const.h"
#include "layout.h"
#include "lib.h"
#include "own.h"
#include "registers.h"
#include "row.h"
#include "toll.h"

#define ARITHMETIC 0x8d5 /* CF PF AF ZF SF OF */

static long pid;
static enum flavour flavour;

static bool is(const struct toll_row *row, const char *part)
{
        return strstr(row->id, part);
}

static uintptr_t kept_flags(const struct toll_row *row)
{
        uintptr_t control = RFLAGS_NT | RFLAGS_AC | RFLAGS_ID | RFLAGS_IOPL;
        return row->clobbers & TOLL_FLAGS        ? 0
               : row->clobbers & TOLL_ARITHMETIC ? control
                                                 : control | RFLAGS_DF | ARITHMETIC;
}

static uintptr_t pattern(int i)
{
        return (uintptr_t)0x0123456789abcdefull * (unsigned)(i + 3);
}

/* A clobbered register may hold anything but kernel addresses, which begin at KERNEL_BASE; the gate
 * page's are allowed. */
static bool leaks(const struct toll_row *row, uintptr_t value)
{
        bool gate = value - GATE_PAGE < 2 * PAGE_SIZE;
        return !is(row, "trusted/") && value >= KERNEL_BASE && !gate;
}

/* Calls with a pattern in each register, and returns those that have changed, but for what the row
 * clobbers. */
static unsigned call_with(const struct toll_row *row, uintptr_t number, uintptr_t flags,
                          struct registers *r, unsigned *leaked)
{
        unsigned changed = 0;
        for (int i = 0; i < REGISTERS; i++)
                r->r[i] = pattern(i);
        r->r[REG_AX] = number;
        r->r[REG_FLAGS] = flags;
        registers_call((const void *)(uintptr_t)row->clean, r);
        *leaked = 0;
        for (int i = REG_BX; i < REGISTERS; i++) {
                if (i == REG_FLAGS || r->r[i] == pattern(i))
                        continue;
                changed |= 1u << i;
                if (leaks(row, r->r[i]))
                        *leaked |= 1u << i;
        }
        return changed & ~registers_of(row->clobbers);
}

static void try_registers(const struct toll_row *row, uintptr_t flags)
{
        struct registers r;
        const uintptr_t was = RFLAGS_FIXED | RFLAGS_IF | flags;
        unsigned leaked, changed = call_with(row, NUMBER_getpid, was, &r, &leaked);
        uintptr_t lost = (r.r[REG_FLAGS] ^ was) & kept_flags(row);
        bool result = !row->answers || (long)r.r[REG_AX] == pid;
        char with[NAMES_SIZE], other[NAMES_SIZE], out[NAMES_SIZE], flipped[NAMES_SIZE];
        check(result && !changed && !lost && !leaked, row->id,
              "called with %s set: result %ld; %s changed, %s leaked, %s changed",
              flags_named(with, sizeof with, flags), (long)r.r[REG_AX],
              registers_named(other, sizeof other, changed),
              registers_named(out, sizeof out, leaked), flags_named(flipped, sizeof flipped, lost));
}

/* Selectors that the kernel must not rely on: null ones. */
static void try_segments(const struct toll_row *row)
{
        if (!WIDE && row->reads_ds)
                return;
        long changed = segments_call((const void *)(uintptr_t)row->clean, NUMBER_getpid, 0);
        check(!changed, row->id, "null ds es fs gs: changed %lx", changed);
}

static void select(int index)
{
        toll_call(NUMBER_toll_select, index, flavour);
}

/* Sets all state before each call, because an entry that exchanges a part by mistake would be
 * undone by the next. Any call disarms a row that is alone. Runs first, and twice:
 * tests/core/nmis.py interrupts the second at each instruction. */
static void try_own(int index, const struct toll_row *row)
{
        for (int time = 0; time < 2; time++) {
                char changed[OWN_NAMES_SIZE];
                select(index);
                own_load();
                row_again(row, index, flavour);
                gate_call((const void *)(uintptr_t)row->clean, NUMBER_getpid);
                own_changed(changed, sizeof changed);
                check(!strcmp(changed, "nothing"), row->id, "beside the registers: %s changed",
                      changed);
        }
}

static void try_numbers(const struct toll_row *row)
{
        static const long long numbers[] = {CALLS,        -1,  0x7fffffff,
                                            0x80000000ll, 480, 0x100000000ll + 39};
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
                if (!WIDE && (unsigned long long)numbers[i] >> 32)
                        continue;
                bool counts = numbers[i] == 0x100000000ll + 39 &&
                              !(row->clobbers & TOLL_ARITHMETIC); /* eax does */
                struct registers r;
                unsigned leaked, changed = call_with(row, (uintptr_t)numbers[i],
                                                     RFLAGS_FIXED | RFLAGS_IF, &r, &leaked);
                long result = (long)r.r[REG_AX];
                check((counts ? result > 0 : result == -ENOSYS) && !changed && !leaked, row->id,
                      "call %lld: %ld; registers %x changed, %x leaked", numbers[i], result,
                      changed, leaked);
        }
}

/* All six arguments arrive in order: the call returns a + 2b + 3c + 4d + 5e + 6f. */
static void try_arguments(const struct toll_row *row)
{
        static const int places64[] = {REG_DI, REG_SI, REG_DX, 10, REG_R8, 9};
        static const int places32[] = {REG_BX, REG_CX, REG_DX, REG_SI, REG_DI, REG_BP};
        struct registers r = {{0}};
        long sum = 0;
        for (int i = 0; i < 6; i++) {
                r.r[WIDE ? places64[i] : places32[i]] = (uintptr_t)(1 << (4 * i));
                sum += (long)(i + 1) << (4 * i);
        }
        r.r[REG_AX] = NUMBER_toll_sum;
        r.r[REG_FLAGS] = RFLAGS_FIXED | RFLAGS_IF;
        registers_call((const void *)(uintptr_t)row->clean, &r);
        check((long)r.r[REG_AX] == sum, row->id, "six arguments: %lx, not %lx", (long)r.r[REG_AX],
              sum);
}

/* A function call builds a frame for a call that needs one; the flags return from there. */
static void try_frame(const struct toll_row *row)
{
        struct registers r = {{0}};
        r.r[REG_AX] = NUMBER_toll_iopl;
        r.r[WIDE ? REG_DI : REG_BX] = 2;
        r.r[REG_FLAGS] = RFLAGS_FIXED | RFLAGS_IF;
        struct registers was = r;
        registers_call((const void *)(uintptr_t)row->clean, &r);
        uintptr_t level = r.r[REG_FLAGS] >> 12 & 3;
        unsigned changed = 0;
        for (int i = REG_BX; i < REGISTERS; i++)
                changed |= (i != REG_FLAGS && r.r[i] != was.r[i]) << i;
        changed &= ~registers_of(row->clobbers);
        char other[NAMES_SIZE];
        check(!r.r[REG_AX] && level == 2 && !changed, row->id,
              "a call that needs a frame: %ld, IOPL %lu, %s changed", (long)r.r[REG_AX],
              (unsigned long)level, registers_named(other, sizeof other, changed));
        toll_call(NUMBER_toll_iopl, 0);
}

/* A selector that a trusted program's entry replaces only when it faults. */
static void try_selectors(const struct toll_row *row)
{
        long es = stale_es();
        check(!es, row->id, "es whose descriptor is gone: %lx", es);
}

/* The red zone is preserved, also at CPL 0, where a gate without IST would push into it. */
static void try_red_zone(void)
{
        static const char *const ways[] = {"INT 80h", "SYSCALL", "interrupts"};
        uint32_t before = counts_now().ticks;
        toll_call(NUMBER_toll_timer, TIMER_FAST);
        for (unsigned way = 0; way < 3; way++) {
                long changed = red_zone(way, 1000000);
                check(!changed, "red zone", "%ld of 128 bytes changed by %s", changed, ways[way]);
        }
        toll_call(NUMBER_toll_timer, TIMER_USUAL);
        uint32_t ticks = counts_now().ticks - before;
        check(!WIDE || ticks, "red zone", "%u interrupts came", ticks);
}

#define FENCES 5 /* enum fence of kernel/core/cpu/alternatives.h */

/* Every fence of the processor gives increasing stamps; any other is refused. */
static void try_fences(void)
{
        struct toll_control control;
        toll_call(NUMBER_toll_row, TOLL_CONTROLS, &control);
        volatile const uint64_t *stamps = (const uint64_t *)(uintptr_t)control.probe_page;
        for (long fence = 0; fence <= FENCES; fence++) {
                long result = toll_call(NUMBER_toll_fence, fence);
                gate_call((const void *)(uintptr_t)control.pair[1], NUMBER_getpid);
                check((result == 0 || result == -EINVAL) && stamps[7] > stamps[0] &&
                              (fence < FENCES || result == -EINVAL),
                      "fence", "%ld: %ld, stamp %llu", fence, result,
                      (unsigned long long)(stamps[7] - stamps[0]));
        }
}

static long checksum(void)
{
        return toll_call(NUMBER_toll_checksum);
}

/* The checksum is constant while tables and code are; a row's gate and a fence change it. */
static void try_checksum(void)
{
        long usual = checksum();
        check(usual >= 0 && usual == checksum(), "checksum", "%lx, then %lx", usual, checksum());
        toll_call(NUMBER_toll_select, 1, FLAVOUR_probed);
        long armed = checksum();
        toll_call(NUMBER_toll_select, TOLL_DEFAULT);
        check(armed != usual && checksum() == usual, "checksum", "%lx with a row armed", armed);
        long fenced = usual;
        for (long fence = 0; fence < FENCES && fenced == usual; fence++) {
                toll_call(NUMBER_toll_fence, fence);
                fenced = checksum();
        }
        check(fenced != usual, "checksum", "%lx with another fence", fenced);
}

/* The kernel's own fault while a special gate is armed: on a caller's pointer, as usual. */
static void try_kernel_fault(const struct toll_row *row)
{
        long result = toll_call(NUMBER_write, 1, NULL, 8);
        check(result == -EFAULT, row->id, "write from a null pointer: %ld", result);
}

/* Selects before each try, because an exception's row is disarmed by the next system call. */
static void try_row(int index, const struct toll_row *row)
{
        static const uintptr_t flags[] = {0,
                                          ARITHMETIC,
                                          RFLAGS_DF,
                                          RFLAGS_NT,
                                          RFLAGS_AC,
                                          RFLAGS_ID,
                                          RFLAGS_DF | RFLAGS_NT | RFLAGS_AC | ARITHMETIC};
        try_own(index, row);
        for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
                select(index);
                try_registers(row, flags[i]);
        }
        for (long level = 2; level >= 0; level -= 2) {
                toll_call(NUMBER_toll_iopl, level);
                select(index);
                try_registers(row, (uintptr_t)level << 12);
        }
        select(index);
        try_segments(row);
        if (row->alone)
                try_kernel_fault(row);
        if (row->answers == TOLL_ANSWERS_calls) {
                try_numbers(row);
                try_arguments(row);
                if (is(row, "/call/") || is(row, "/samestack/"))
                        try_frame(row);
        }
        if (!strcmp(row->id, "trusted/call/standard"))
                try_selectors(row);
        toll_call(NUMBER_toll_select, TOLL_DEFAULT);
}

int main(int argc, char **argv)
{
        beside_begin(argv);
        output_through(toll_call);
        const char *only = option(argv, "only");
        struct toll_row row;
        flavour = option_number(argv, "samples", 0) == 2 ? FLAVOUR_probed : FLAVOUR_clean;
        pid = toll_call(NUMBER_getpid);
        try_red_zone();
        toll_call(NUMBER_toll_quiet, 1);
        try_checksum();
        try_fences();
        for (int i = 0; !toll_call(NUMBER_toll_row, i, &row); i++)
                if (!row.missing[0] && (!only || strstr(row.id, only)))
                        try_row(i, &row);
        toll_call(NUMBER_toll_quiet, 0);
        beside_end();
        return check_status();
}
