/* parts.c - checks that each part of an entry (entry/part.def) has its effect, by a kernel
 * breakpoint at the service routine or at the last instruction of the exit. The other rows are the
 * control: they must show the opposite. test_parts.py checks effects that only a walk shows.
 *
 * Needs parts= on the command line, and amd64. */
#include "const.h"
#include "layout.h"
#include "lib.h"
#include "registers.h"
#include "result.h"
#include "signals.h"
#include "toll.h"

#define ARCH_SET_GS 0x1001
#define ARCH_GET_GS 0x1004
#define PROGRAMS_GS 0x12340000
#define PROGRAMS_NUMBER 0x800 /* the PCID of its table */
#define ZF 0x40

static struct toll_control control;

/* What the kernel's breakpoint sees at an offset of the entry text during a call by the row; false:
 * not reached. */
static bool look(const struct toll_row *row, uint32_t at, struct toll_seen *seen)
{
        struct registers r;
        uint32_t before = counts_now().watch_hits;
        for (int i = 0; i < REGISTERS; i++)
                r.r[i] = (uintptr_t)0xfedcba9876543210ull * (unsigned)(2 * i + 3);
        r.r[REG_AX] = NUMBER_getpid;
        r.r[REG_FLAGS] = RFLAGS_FIXED | RFLAGS_IF;
        toll_call(NUMBER_toll_watch, at);
        registers_call((const void *)(uintptr_t)row->clean, &r);
        toll_call(NUMBER_toll_watch, -1);
        toll_call(NUMBER_toll_row, TOLL_SEEN, seen);
        return counts_now().watch_hits != before;
}

/* Looks at the last instruction of the fast exit. */
static bool look_last(const struct toll_row *row, struct toll_seen *seen)
{
        for (uint32_t at = row->entry_size[0]; at--;)
                if (look(row, row->entry[0] + at, seen))
                        return true;
        return false;
}

static bool has(const struct toll_row *row, const char *part)
{
        const char *name = strchr(row->id, '+');
        return name && !strcmp(name + 1, part);
}

static bool has_two_tables(const struct toll_row *row)
{
        return has(row, "cr3") || has(row, "cr3-pcid");
}

static bool all_zero(const struct toll_frame *frame)
{
        static const int cleared[] = {REG_BX, REG_BP, 10, 11, 12, 13, 14, 15};
        uint64_t any = 0;
        for (size_t i = 0; i < sizeof cleared / sizeof *cleared; i++)
                any |= frame->r[cleared[i]];
        return !any;
}

static void try_row(const struct toll_row *row)
{
        struct toll_seen in, out;
        bool reached = look(row, row->service ? row->service : control.service[0], &in) &&
                       look_last(row, &out);
        check(reached, row->id, "its service routine and its last instruction are reached");
        if (!reached)
                return;
        check((in.gs_base == GATE_PAGE) == has(row, "swapgs") && out.gs_base == PROGRAMS_GS,
              row->id, "the base of GS is %llx in the service, %llx behind it",
              (unsigned long long)in.gs_base, (unsigned long long)out.gs_base);
        check(all_zero(&in.frame) == has(row, "zero") && !all_zero(&out.frame), row->id,
              "registers that are no argument are %s in the service",
              all_zero(&in.frame) ? "0" : "kept");
        check((in.frame.r[11] == (uint64_t)-1) == has(row, "clamp"), row->id,
              "r11, the mask of a number, is %llx", (unsigned long long)in.frame.r[11]);
        if (has(row, "verw") || has(row, "swapgs"))
                check(!(out.frame.flags & ZF) == !has(row, "verw"), row->id,
                      "ZF, by which VERW says that its segment can be written, is %d",
                      !!(out.frame.flags & ZF));
        check((in.cr3 ^ out.cr3) == (has_two_tables(row) ? PAGE_SIZE : 0u) +
                                            (has(row, "cr3-pcid") ? PROGRAMS_NUMBER : 0u),
              row->id, "CR3 is %llx in the service, %llx behind it", (unsigned long long)in.cr3,
              (unsigned long long)out.cr3);
        check(in.spec_ctrl == has(row, "ibrs") && !out.spec_ctrl, row->id,
              "IA32_SPEC_CTRL is %llx in the service, %llx behind it",
              (unsigned long long)in.spec_ctrl, (unsigned long long)out.spec_ctrl);
}

static long call_by(const struct toll_row *row, long number, long a, long b)
{
        struct registers r = {{0}};
        r.r[REG_AX] = (uintptr_t)number;
        r.r[REG_DI] = (uintptr_t)a;
        r.r[REG_SI] = (uintptr_t)b;
        r.r[REG_FLAGS] = RFLAGS_FIXED | RFLAGS_IF;
        registers_call((const void *)(uintptr_t)row->clean, &r);
        return (long)r.r[REG_AX];
}

static void check_gs(const char *after, uint64_t wanted)
{
        uint64_t base = 0;
        toll_call(NUMBER_arch_prctl, ARCH_GET_GS, &base);
        check(base == wanted, "gs", "its base is %llx after %s, not %llx", (unsigned long long)base,
              after, (unsigned long long)wanted);
}

static volatile long handled;

static void handler(int signal)
{
        handled++;
}

/* The base of GS after the slow exit, while the kernel's is in the other register. Also the events
 * between the two exchanges: another program runs, or the call changes the base. */
static void try_gs(int index, const struct toll_row *row)
{
        signal_act(SIGUSR1, handler, 0, 0);
        toll_call(NUMBER_toll_select, index, FLAVOUR_clean);
        check(call_by(row, CALLS, 0, 0) == -ENOSYS, "gs", "there is no such call");
        check_gs("no call", PROGRAMS_GS);
        call_by(row, NUMBER_kill, system_call(NUMBER_getpid), SIGUSR1);
        check_gs("a signal", PROGRAMS_GS);
        toll_call(NUMBER_toll_select, TOLL_DEFAULT);
        long child = fork();
        if (!child)
                exit_group(0);
        toll_call(NUMBER_toll_select, index, FLAVOUR_clean);
        check(call_by(row, NUMBER_wait4, child, 0) == child, "gs", "a child has ended");
        check_gs("a switch", PROGRAMS_GS);
        call_by(row, NUMBER_arch_prctl, ARCH_SET_GS, 2 * PROGRAMS_GS);
        check_gs("a change", 2 * PROGRAMS_GS);
        call_by(row, NUMBER_getpid, 0, 0);
        check_gs("a call", 2 * PROGRAMS_GS);
        toll_call(NUMBER_toll_select, TOLL_DEFAULT);
        system_call(NUMBER_arch_prctl, ARCH_SET_GS, PROGRAMS_GS);
}

/* How many instructions of the half a call executes, behind a change of a page's entry or not. */
static int executed(const struct toll_row *row, bool changes)
{
        static char page[PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));
        struct toll_seen seen;
        int count = 0;
        for (uint32_t at = 0; at < row->entry_size[0]; at++) {
                page[0] = 1;
                if (changes)
                        toll_call(NUMBER_mprotect, (long)page, PAGE_SIZE, PROT_READ);
                count += look(row, row->entry[0] + at, &seen);
                if (changes)
                        toll_call(NUMBER_mprotect, (long)page, PAGE_SIZE, PROT_READ | PROT_WRITE);
        }
        return count;
}

#define FAR_AWAY ((char *)0x10000000000) /* an address under another entry of the root */

/* Steps through a program on its own page table. */
static void try_table(int index, const struct toll_row *row)
{
        long handled_before = handled;
        uint32_t before = counts_now().frames;
        signal_act(SIGUSR1, handler, 0, 0);
        signal_act(SIGTRAP, handler, 0, 0);
        long child = fork();
        if (!child) {
                toll_call(NUMBER_toll_select, index, FLAVOUR_clean);
                call_by(row, NUMBER_exit_group, 0, 0);
        }
        system_call(NUMBER_wait4, child, 0, 0, 0);
        check(counts_now().frames == before, "cr3", "%u frames, %u behind a child with two tables",
              before, counts_now().frames);
        toll_call(NUMBER_toll_select, index, FLAVOUR_clean);
        for (int i = 0; i < 3; i++) {
                volatile char *page = FAR_AWAY;
                mmap((uintptr_t)page, PAGE_SIZE, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED);
                call_by(row, NUMBER_getpid, 0, 0);
                page[i]++; /* #PF */
                call_by(row, NUMBER_kill, toll_call(NUMBER_getpid), SIGUSR1);
                call_by(row, NUMBER_munmap, (long)page, PAGE_SIZE);
                __asm__ volatile("int3");
                handled += call_by(row, NUMBER_getpid, 0, 0) == toll_call(NUMBER_getpid);
        }
        check(handled - handled_before == 9, "cr3", "%ld of 9 events are seen",
              handled - handled_before);
        int kept = executed(row, false), flushed = executed(row, true);
        check(flushed - kept == has(row, "cr3-pcid"), "cr3",
              "%d instructions, %d where the program's table is flushed", kept, flushed);
        call_by(row, NUMBER_toll_select, TOLL_DEFAULT, 0);
        check(system_call(NUMBER_getpid) == toll_call(NUMBER_getpid), "cr3", "is taken off");
}

int main(void)
{
        struct toll_row row;
        output_through(toll_call);
        toll_call(NUMBER_toll_row, TOLL_CONTROLS, &control);
        if (WIDE)
                check(!system_call(NUMBER_arch_prctl, ARCH_SET_GS, PROGRAMS_GS), "gs",
                      "has a base");
        for (int i = 0; WIDE && !toll_call(NUMBER_toll_row, i, &row); i++) {
                if (strncmp(row.id, "user/syscall/standard+", 22))
                        continue;
                if (row.missing[0]) {
                        print_skip(row.suite, row.id, row.missing);
                        continue;
                }
                if (has(&row, "swapgs"))
                        try_gs(i, &row);
                if (has_two_tables(&row))
                        try_table(i, &row);
                toll_call(NUMBER_toll_quiet, 1);
                toll_call(NUMBER_toll_select, i, FLAVOUR_clean);
                try_row(&row);
                toll_call(NUMBER_toll_quiet);
        }
        return check_status();
}
