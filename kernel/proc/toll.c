/* toll.c - Tollgate's own calls (kernel/toll.h has the contract). */
#include "toll.h"
#include "cpu/cpu.h"
#include "cpu/trap.h"
#include "dev/timer.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mem/space.h"
#include "origins.h"
#include "proc/calls.h"
#include "proc/process.h"

#define UNUSED __attribute__((unused))
#define REST UNUSED long c, UNUSED long d, UNUSED long e, UNUSED long f

extern const char entry_start[], entry_end[];

static struct frame *current_frame(void)
{
        return (struct frame *)cpu_stack - 1;
}

static long give_row(const struct row *row, uintptr_t to)
{
        const char *missing = row_missing(row);
        struct toll_row out = {
                .plain = (uintptr_t)row->call[0],
                .timed = (uintptr_t)row->call[1],
                .bare = row->variant == VARIANT_bare,
                .quiet = row_needs_quiet(row),
        };
        for (int probed = 0; probed < 2; probed++) {
                const char *entry = row->entry[probed];
                out.entry[probed] = (uint32_t)(entry - entry_start);
                out.entry_size[probed] = (uint32_t)(row_entry_end(entry) - entry);
        }
        snprintf(out.id, sizeof out.id, "%s", row->id);
        snprintf(out.label, sizeof out.label, "%s", row->label);
        snprintf(out.missing, sizeof out.missing, "%s", missing ? missing : "");
        return user_write(to, &out, sizeof out);
}

static long give_controls(uintptr_t to)
{
        const struct control *control = control_of(cpu_current->mode);
        struct toll_control out = {
                .pair = {(uintptr_t)control->pair[0], (uintptr_t)control->pair[1]},
                .loop = {(uintptr_t)control->loop[0], (uintptr_t)control->loop[1]},
                .probe_page = probe_page_of(cpu_current->mode),
                .gate_selector = GATE_SELECTOR,
        };
        return user_write(to, &out, sizeof out);
}

static long give_counts(uintptr_t to)
{
        struct toll_counts out = {timer_ticks,       trap_watch_hits,      trap_nmis,
                                  trap_single_steps, trap_lost_interrupts, trap_starvations};
        return user_write(to, &out, sizeof out);
}

long sys_toll_row(long index, long to, REST)
{
        const struct row *row;
        switch ((int)index) {
        case TOLL_CONTROLS: return give_controls((uintptr_t)to);
        case TOLL_COUNTS: return give_counts((uintptr_t)to);
        default:
                row = (int)index < 0 ? NULL : row_at(cpu_current->mode, (size_t)(int)index);
                return row ? give_row(row, (uintptr_t)to) : -ENOENT;
        }
}

long sys_toll_select(long index, long flavour, REST)
{
        struct process *process = cpu_current;
        if (!process->measures)
                return -EPERM;
        if ((int)index == TOLL_DEFAULT) {
                memset(process->armed, 0, sizeof process->armed);
        } else {
                const struct row *row =
                        (int)index < 0 ? NULL : row_at(process->mode, (size_t)(int)index);
                if (!row || row_missing(row) || (unsigned long)flavour >= FLAVOURS ||
                    (row_needs_quiet(row) && !process->quiet))
                        return -EINVAL;
                process->armed[row->mechanism] = (struct selection){row, (enum flavour)flavour};
        }
        entry_arm(process);
        return 0;
}

long sys_toll_register(long on, UNUSED long b, REST)
{
        if (!cpu_current->measures)
                return -EPERM;
        cpu_current->registered = on;
        process_point_probes(cpu_current);
        return 0;
}

long sys_toll_quiet(long on, UNUSED long b, REST)
{
        struct process *process = cpu_current;
        struct frame *frame = current_frame();
        if (!process->measures)
                return -EPERM;
        process->quiet = on;
        timer_quiet(on);
        if (on) {
                frame->flags &= ~(uintptr_t)RFLAGS_IF;
        } else {
                frame->flags |= RFLAGS_IF;
                memset(process->armed, 0, sizeof process->armed);
                entry_arm(process);
        }
        return 0;
}

long sys_toll_fence(long fence, UNUSED long b, REST)
{
        if (!cpu_current->measures)
                return -EPERM;
        if ((unsigned long)fence >= FENCES || !fence_possible((enum fence)fence))
                return -EINVAL;
        fence_set((enum fence)fence);
        return 0;
}

long sys_toll_watch(long offset, UNUSED long b, REST)
{
        long size = entry_end - entry_start;
        if (!cpu_current->measures)
                return -EPERM;
        if ((int)offset >= size)
                return -EINVAL;
        trap_watch((int)offset >= 0 ? (uintptr_t)entry_start + (size_t)offset : 0);
        return size;
}

long sys_toll_iopl(long level, UNUSED long b, REST)
{
        struct frame *frame = current_frame();
        if (!cpu_current->measures)
                return -EPERM;
        if ((unsigned long)level > 2) /* 3 would give away CLI and the ports */
                return -EINVAL;
        frame->flags = (frame->flags & ~(uintptr_t)RFLAGS_IOPL) | (uintptr_t)level << 12;
        return 0;
}

long sys_toll_sum(long a, long b, long c, long d, long e, long f)
{
        return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f;
}

long sys_toll_timer(long hertz, UNUSED long b, REST)
{
        if (!cpu_current->measures)
                return -EPERM;
        if (hertz < 19 || hertz > 100000)
                return -EINVAL;
        timer_rate((unsigned)hertz);
        return 0;
}
