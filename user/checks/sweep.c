/* sweep.c - interrupts every entry at every instruction; the call must not be affected.
 *
 * A hardware breakpoint walks over each kernel half, byte by byte (only instruction starts are
 * hit). #DB then arrives at CPL 0 on the entry's current stack, which is the program's for
 * SYSCALL's first instructions. Then the timer runs at its maximum rate into gates that leave IF
 * set. The result and the registers of every call are checked. */
#include "const.h"
#include "lib.h"
#include "registers.h"
#include "row.h"
#include "signals.h"
#include "toll.h"

static long pid;
static unsigned handled;

static void handler(int signal, struct siginfo *info, struct ucontext *uc)
{
        handled++;
}

/* Makes one call with patterns in the registers that every mechanism preserves. */
static bool makes(const struct toll_row *row, const void *half, long number, long result)
{
        struct registers r = {{0}}, was;
        r.r[REG_AX] = (uintptr_t)number;
        r.r[REG_BX] = 0x1234567;
        r.r[REG_SI] = SIGUSR1;
        r.r[REG_DI] = (uintptr_t)pid;
        r.r[REG_BP] = 0x456789a;
        r.r[REG_FLAGS] = RFLAGS_FIXED | RFLAGS_IF | RFLAGS_CF;
        was = r;
        registers_call(half, &r);
        return (!row->answers || (long)r.r[REG_AX] == result) && r.r[REG_BX] == was.r[REG_BX] &&
               r.r[REG_SI] == was.r[REG_SI] && r.r[REG_DI] == was.r[REG_DI] &&
               r.r[REG_BP] == was.r[REG_BP] &&
               (r.r[REG_FLAGS] & RFLAGS_CF || row->clobbers & (TOLL_ARITHMETIC | TOLL_FLAGS));
}

/* Without a frame on the usual way: also a call that keeps its number, one with a signal pending
 * behind it, and one that uses the frame. */
static bool call_holds(const struct toll_row *row, const void *half)
{
        if (!makes(row, half, NUMBER_getpid, pid))
                return false;
        if (!strstr(row->id, "/lazy"))
                return true;
        unsigned before = handled;
        return makes(row, half, NUMBER_getuid, 0) && makes(row, half, NUMBER_kill, 0) &&
               handled == before + 1 && makes(row, half, NUMBER_sigaltstack, -EFAULT);
}

static void watch(long offset)
{
        toll_call(NUMBER_toll_watch, offset);
}

static void sweep(int index, const struct toll_row *row, enum flavour flavour)
{
        bool probed = flavour == FLAVOUR_probed;
        const void *half = (const void *)(uintptr_t)(probed ? row->timed : row->clean);
        uint32_t start = row->entry[probed], size = row->entry_size[probed], bad = 0;
        toll_call(NUMBER_toll_select, index, flavour);
        unsigned before = counts_now().watch_hits;
        for (uint32_t offset = 0; offset < size; offset++) {
                watch((long)(start + offset));
                row_again(row, index, flavour);
                bad += !call_holds(row, half);
        }
        watch(-1);
        unsigned hits = counts_now().watch_hits - before;
        check(!bad && hits, row->id,
              "%s: %u of %u bytes start an instruction that was hit, "
              "%u calls went wrong",
              probed ? "probed" : "clean", hits, size, bad);
        toll_call(NUMBER_toll_select, TOLL_DEFAULT);
}

static void interrupt(const struct toll_row *row)
{
        unsigned calls = 20000, bad = 0;
        uint32_t before = counts_now().ticks;
        for (unsigned i = 0; i < calls; i++)
                bad += !call_holds(row, (const void *)(uintptr_t)row->clean);
        uint32_t ticks = counts_now().ticks - before;
        check(!bad && ticks, row->id, "%u interrupts in %u calls, %u went wrong", ticks, calls,
              bad);
}

int main(int argc, char **argv)
{
        output_through(toll_call);
        const char *only = option(argv, "only");
        struct toll_row row;
        pid = toll_call(NUMBER_getpid);
        signal_act(SIGUSR1, handler, SA_SIGINFO, 0);
        for (int i = 0; !toll_call(NUMBER_toll_row, i, &row); i++) {
                if (row.missing[0] || (only && !strstr(row.id, only)) || row.vector == VECTOR_DB)
                        continue; /* an armed #DB row would take the breakpoint's #DB itself */
                toll_call(NUMBER_toll_quiet, 1);
                sweep(i, &row, FLAVOUR_clean);
                sweep(i, &row, FLAVOUR_probed);
                toll_call(NUMBER_toll_quiet, 0);
                if (row.quiet)
                        continue;
                toll_call(NUMBER_toll_timer, TIMER_FAST);
                toll_call(NUMBER_toll_select, i, FLAVOUR_clean);
                interrupt(&row);
                toll_call(NUMBER_toll_select, TOLL_DEFAULT);
                toll_call(NUMBER_toll_timer, TIMER_USUAL);
        }
        return check_status();
}
