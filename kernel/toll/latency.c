/* latency.c - the longest time with interrupts off for each call and anything else that clears IF,
 * in TSC counts.
 *
 * A stretch begins at a gate. The call tables and the handlers of vectors point to functions here,
 * which stamp the start unless IF was 0 before. It ends on the way out to a program with IF = 1. If
 * work is pending, as WORK_METER is after every call, the way out calls work_do(), replaced by a
 * function here that stamps the end. A vector without work returns at once, and so do rows that do
 * not check for work. They end where the function here returns (`left`), unless a way out with work
 * follows. A stretch may include any number of threads. It is named after its beginning, or after
 * the end of a thread that it contains. Windows and the idle loop end a stretch and begin another
 * (cpu/window.h). So does a switch in a direct call, which leaves the program's IF unchanged.
 *
 * Not included: an entry and a way out themselves, some fifty instructions each. */
#include "toll/latency.h"
#include "cpu/cpu.h"
#include "cpu/alternatives.h"
#include "cpu/window.h"
#include "cpu/work.h"
#include "lib/string.h"
#include "thread/user.h"
#include "toll/calls.h"
#include "thread/schedule.h"
#include "toll.h"
#include "trap/dispatch.h"
#include "above.h"

#define TABLES (sizeof tables / sizeof *tables)

extern call *const clean_compat_calls[CALLS] __attribute__((weak)); /* amd64's */

static call *const *const tables[] = {clean_calls, clean_compat_calls};
static call *kept[2][CALLS];
static bool latency_on;
uint32_t latency_windows;

enum { OF_WIDE, OF_NARROW, OF_TRUSTED, KINDS };
static struct toll_latency calls[KINDS][CALLS], others[KINDS][TOLL_STRETCHES];

static struct toll_latency *of; /* the current stretch, or NULL */
static uint64_t since, left;    /* its start; its possible end, 0 = not ended */

static unsigned kind_of(const struct thread *thread)
{
        return !thread || WORD == 4 ? thread && thread->trusted ? OF_TRUSTED : OF_WIDE
               : thread->trusted    ? OF_TRUSTED
               : call_narrow()      ? OF_NARROW
                                    : OF_WIDE;
}

static struct toll_latency *other(enum toll_stretch stretch)
{
        return &others[kind_of(cpu_current)][stretch];
}

static void end_at(uint64_t moment)
{
        if (of && moment - since > of->longest)
                of->longest = moment - since;
        of = NULL;
        left = 0;
}

static void latency_end(void)
{
        end_at(left ? left : tsc_read());
}

/* `was`: the interrupted code's flags. If a stretch is still open but IF was 1, it ended unseen and
 * is not counted. If IF was 0, the stretch continues. */
static void latency_begin(struct toll_latency *row, uintptr_t was)
{
        if (left)
                end_at(left);
        if (was & RFLAGS_IF) {
                if (of)
                        other(TOLL_STRETCH_unseen)->calls++;
        } else {
                row = other(TOLL_STRETCH_quiet);
                if (of == row)
                        return;
                latency_end();
        }
        row->calls++;
        of = row;
        since = tsc_read();
}

static struct toll_latency *continued; /* the stretch to continue after an open window */

static void open_window(void)
{
        continued = of;
        latency_end();
        latency_windows++;
}

static void close_window(void)
{
        if (continued)
                latency_begin(continued, RFLAGS_IF);
}

static void wake_up(void)
{
        latency_begin(other(TOLL_STRETCH_kernel), RFLAGS_IF);
}

static void latency_leave(void)
{
        if (of && !left)
                left = tsc_read();
}

static long measured(long a, long b, long c, long d, long e, long f)
{
        struct frame *frame = thread_frame(cpu_current);
        unsigned number = (unsigned)frame->number % CALLS;
        unsigned table = WORD == 8 && call_narrow();
        latency_begin(&calls[kind_of(cpu_current)][number], frame->flags);
        work_add(WORK_METER);
        long result = kept[table][number](a, b, c, d, e, f);
        latency_leave();
        return result;
}

static enum toll_stretch stretch_of(uintptr_t vector)
{
        return vector == VECTOR_PF     ? TOLL_STRETCH_fault
               : vector >= VECTOR_IRQ0 ? TOLL_STRETCH_interrupt
                                       : TOLL_STRETCH_exception;
}

static bool trap(uintptr_t vector, struct frame *frame)
{
        bool begins = frame->flags & RFLAGS_IF;
        if (begins)
                latency_begin(other(stretch_of(vector)), frame->flags);
        bool user = trap_dispatch(vector, frame);
        if (begins)
                latency_leave();
        return user;
}

/* A page fault without a frame yet: of a program, or in a call, where a stretch is open. */
static enum fault latency_fault(struct memory *memory, uintptr_t address, unsigned access)
{
        bool begins = !of || left;
        if (begins)
                latency_begin(other(TOLL_STRETCH_fault), RFLAGS_IF);
        enum fault found = memory_fault(memory, address, access);
        if (begins)
                latency_leave();
        return found;
}

/* Replaces work_do() on the way out. A quiet program may have IF = 0. */
static void work(struct frame *frame)
{
        cpu_work &= (uint8_t)~WORK_METER;
        left = 0;
        if (cpu_work & WORK_EXIT && of)
                of = other(TOLL_STRETCH_end);
        work_do(frame);
        if (frame->flags & RFLAGS_IF)
                latency_end();
        else
                latency_begin(NULL, 0);
}

/* Replaces schedule_with_flags(): a direct call gives up the processor. */
static void turns(uintptr_t flags)
{
        flags_back(RFLAGS_FIXED);
        latency_begin(other(TOLL_STRETCH_switch), flags);
        schedule();
        if (flags & RFLAGS_IF)
                latency_end();
        flags_back(flags);
}

extern uint8_t entry_work[]; /* arch/exit.asm */
static struct text_jump jumps[] = {
        {.opcode = CALL_NEAR, .to = (uintptr_t)work},
        {.at = (uint8_t *)schedule_with_flags, .opcode = JUMP_NEAR, .to = (uintptr_t)turns},
};

/* The instruction in entry_work that calls work_do(). */
static uint8_t *find_call(void)
{
        uint8_t *at = entry_work;
        int32_t distance;
        do
                memcpy(&distance, ++at, sizeof distance);
        while (at[-1] != CALL_NEAR ||
               (uintptr_t)at + sizeof distance + (uintptr_t)distance != (uintptr_t)work_do);
        return at - 1;
}

/* Elsewhere the tables are constants. */
static void write_tables(bool on)
{
        uintptr_t cr0 = cr0_read();
        cr0_write(cr0 & ~(uintptr_t)CR0_WP);
        for (size_t table = 0; table < TABLES; table++)
                for (size_t i = 0; tables[table] && i < CALLS; i++) {
                        call **entry = (call **)&tables[table][i];
                        if (on)
                                kept[table][i] = *entry;
                        *entry = on ? measured : kept[table][i];
                }
        cr0_write(cr0);
}

static void change_kernel(bool on)
{
        static const struct trap_way metered = {trap, latency_fault};
        static const struct window_meter windows = {open_window, close_window, latency_end,
                                                    wake_up};
        if (on && !jumps[0].at)
                jumps[0].at = find_call();
        write_tables(on);
        for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++)
                text_exchange(&jumps[i]);
        trap_by(on ? &metered : NULL);
        window_meter = on ? &windows : NULL;
        cpu_work &= (uint8_t)~WORK_METER;
}

/* Forgets the measured stretches, but not the current one. */
static void latency_forget(struct toll_latency *rows, size_t count)
{
        for (size_t i = 0; i < count; i++) {
                interrupt_window();
                rows[i] = (struct toll_latency){0};
        }
}

/* The call that switches measuring on is not measured. */
void latency_measure(bool on)
{
        if (on != latency_on) {
                of = NULL;
                left = 0;
                change_kernel(on);
        }
        latency_on = on;
        if (!on)
                return;
        latency_forget(calls[0], KINDS * CALLS);
        latency_forget(others[0], KINDS * TOLL_STRETCHES);
}

static const struct toll_latency *found(unsigned long index)
{
        unsigned kind = index & TOLL_OF_TRUSTED ? OF_TRUSTED : kind_of(cpu_current);
        unsigned long row = index & ~(unsigned long)(TOLL_OF_TRUSTED | TOLL_OF_STRETCH);
        if (row >= (index & TOLL_OF_STRETCH ? (unsigned long)TOLL_STRETCHES : CALLS))
                return NULL;
        return index & TOLL_OF_STRETCH ? &others[kind][row] : &calls[kind][row];
}

long sys_toll_latency(long index, long to, AFTER_2)
{
        if (!cpu_current->measures)
                return -EPERM;
        if ((int)index == TOLL_BEGIN) {
                latency_measure(true);
                return 0;
        }
        const struct toll_latency *row = found((unsigned long)index);
        if (row)
                return user_put((uintptr_t)to, row);
        if ((int)index != TOLL_END)
                return -ENOENT;
        latency_measure(false);
        return 0;
}
