/* toll.c - Tollgate's own calls (kernel/toll.h has the contract). */
#include "toll.h"
#include "cpu/alternatives.h"
#include "cpu/breakpoint.h"
#include "toll/checksum.h"
#include "cpu/cpu.h"
#include "toll/cycle.h"
#include "toll/lack.h"
#include "toll/latency.h"
#include "cpu/symbol.h"
#include "cpu/work.h"
#include "machine/timer.h"
#include "entry/ways.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mem/frame.h"
#include "mem/heap.h"
#include "thread/schedule.h"
#include "thread/user.h"
#include "origins.h"
#include "toll/calls.h"
#include "thread/posture.h"
#include "trap/chain.h"
#include "trap/dispatch.h"

extern const char entry_start[], entry_end[];

/* After a call by a part that ISOLATES, the way out would load the program's old table. */
static void rearm(struct thread *thread)
{
        if (ways_isolated)
                work_add(WORK_RESCHEDULE);
        ways_isolated = false;
        thread->chooses = false;
        for (enum mechanism m = 0; m < MECHANISMS; m++)
                thread->chooses |= thread->armed[m].row != NULL;
        posture_changed(thread);
}

static struct frame *current_frame(void)
{
        return (struct frame *)cpu_stack - 1;
}

static uint32_t offset_of(const void *entry)
{
        return (uint32_t)((uintptr_t)entry - (uintptr_t)entry_start);
}

static long give_row(const struct row *row, uintptr_t to)
{
        const char *missing = row_missing(row), *spared = features_first(row->spared, true);
        if (!missing)
                missing = lack_of(row->vector);
        struct toll_row out = {
                .clean = (uintptr_t)row->call[0],
                .timed = (uintptr_t)row->call[1],
                .answers = row->getpid ? TOLL_ANSWERS_service : row->variant->answers,
                .quiet = row_needs_quiet(row),
                .clobbers = row_clobbers(row),
                .uses = row_uses(row),
                .looks = row->variant->looks,
                .vector = row->vector,
                .reads_ds = row_reads_ds(row),
                .alone = row_is_alone(row),
                .service = row->service[0] ? offset_of((const void *)row->service[0]) : 0,
        };
        for (int probed = 0; probed < 2; probed++) {
                const char *entry = row->entry[probed];
                out.entry[probed] = offset_of(entry);
                out.entry_size[probed] = (uint32_t)(row_entry_end(entry) - entry);
        }
        snprintf(out.suite, sizeof out.suite, "%s", row->suite);
        snprintf(out.id, sizeof out.id, "%s", row->id);
        snprintf(out.label, sizeof out.label, "%s", row->label);
        snprintf(out.missing, sizeof out.missing, "%s", missing ? missing : "");
        snprintf(out.spared, sizeof out.spared, "%s", spared ? spared : "");
        return user_put(to, &out);
}

#define DECLARE_SERVICE(name, origin) extern call clean_##name##_getpid;
ORIGINS(DECLARE_SERVICE)

/* The service routine for rows of this origin that stay on the program's stack. */
static const void *service_of(enum origin wanted)
{
#define SERVICE_OF(name, origin)                                                                   \
        if (wanted == origin)                                                                      \
                return clean_##name##_getpid;
        ORIGINS(SERVICE_OF)
        return NULL;
}

static long give_controls(uintptr_t to)
{
        const struct control *control = control_of(cpu_current->origin);
        struct toll_control out = {
                .pair = {(uintptr_t)control->pair[0], (uintptr_t)control->pair[1]},
                .loop = {(uintptr_t)control->loop[0], (uintptr_t)control->loop[1]},
                .twice = {(uintptr_t)control->twice[0], (uintptr_t)control->twice[1]},
                .probe_page = probe_page_of(cpu_current->origin),
                .gate_selector = GATE_SELECTOR,
                .service = {offset_of((const void *)clean_user_getpid),
                            offset_of(service_of(cpu_current->origin))},
        };
        return user_put(to, &out);
}

static long give_counts(uintptr_t to)
{
        struct toll_counts out = {timer_ticks,
                                  breakpoint_hits,
                                  trap_nmis,
                                  trap_single_steps,
                                  trap_lost_interrupts,
                                  trap_starvations,
                                  (uint32_t)breakpoint_frame.flags,
                                  (uint32_t)frame_count(),
                                  (uint32_t)heap_objects,
                                  (uint32_t)heap_frames,
                                  (uint32_t)breakpoint_frame.ax,
                                  lacks,
                                  latency_windows};
        return user_put(to, &out);
}

static long give_cycles(uintptr_t to)
{
        struct cycle_counts counts;
        if (!cycle_counted(&counts))
                return -ENOENT;
        struct toll_cycles out = {counts.core, counts.reference, counts.smis, counts.retired};
        return user_put(to, &out);
}

long sys_toll_row(long index, long to, AFTER_2)
{
        const struct row *row;
        switch ((int)index) {
        case TOLL_CONTROLS: return give_controls((uintptr_t)to);
        case TOLL_COUNTS: return give_counts((uintptr_t)to);
        case TOLL_CYCLES: return give_cycles((uintptr_t)to);
        case TOLL_SEEN:
                registers_give(&breakpoint_frame, &breakpoint_seen.frame);
                return user_put((uintptr_t)to, &breakpoint_seen);
        default:
                row = (int)index < 0 ? NULL : row_at(cpu_current->origin, (size_t)(int)index);
                return row ? give_row(row, (uintptr_t)to) : -ENOENT;
        }
}

long sys_toll_select(long index, long flavour, AFTER_2)
{
        struct thread *thread = cpu_current;
        if (!thread->measures)
                return -EPERM;
        if ((int)index == TOLL_DEFAULT) {
                memset(thread->armed, 0, sizeof thread->armed);
        } else {
                const struct row *row =
                        (int)index < 0 ? NULL : row_at(thread->origin, (size_t)(int)index);
                if (!row || row_missing(row) || (unsigned long)flavour >= FLAVOURS ||
                    (row_needs_quiet(row) && !thread->quiet))
                        return -EINVAL;
                if (row_is_alone(row))
                        memset(thread->armed, 0, sizeof thread->armed);
                if (row->isolate && !row->isolate(NULL, thread->armed))
                        return -ENOMEM;
                thread->armed[row->mechanism] = (struct selection){row, (enum flavour)flavour};
        }
        rearm(thread);
        return 0;
}

long sys_toll_register(long on, AFTER_1)
{
        if (!cpu_current->measures)
                return -EPERM;
        cpu_current->registered = on;
        posture_changed(cpu_current);
        return 0;
}

long sys_toll_quiet(long on, AFTER_1)
{
        struct thread *thread = cpu_current;
        struct frame *frame = current_frame();
        if (!thread->measures)
                return -EPERM;
        thread->quiet = on;
        posture_changed(thread);
        if (on) {
                frame->flags &= ~(uintptr_t)RFLAGS_IF;
        } else {
                frame->flags |= RFLAGS_IF;
                memset(thread->armed, 0, sizeof thread->armed);
                rearm(thread);
        }
        return 0;
}

long sys_toll_fence(long fence, AFTER_1)
{
        if (!cpu_current->measures)
                return -EPERM;
        if ((unsigned long)fence >= FENCES || !fence_possible((enum fence)fence))
                return -EINVAL;
        fence_set((enum fence)fence);
        return 0;
}

long sys_toll_watch(long offset, AFTER_1)
{
        long size = entry_end - entry_start;
        if (!cpu_current->measures)
                return -EPERM;
        if ((int)offset >= size)
                return -EINVAL;
        breakpoint_set((int)offset >= 0 ? (uintptr_t)entry_start + (unsigned)offset : 0);
        return size;
}

long sys_toll_iopl(long level, AFTER_1)
{
        struct frame *frame = current_frame();
        if (!cpu_current->measures)
                return -EPERM;
        if ((unsigned long)level > 2) /* 3 would allow CLI and port access */
                return -EINVAL;
        frame->flags = (frame->flags & ~(uintptr_t)RFLAGS_IOPL) | (uintptr_t)level << 12;
        return 0;
}

long sys_toll_sum(long a, long b, long c, long d, long e, long f)
{
        long sum = (long)((unsigned long)a + 2ul * b + 3ul * c + 4ul * d + 5ul * e + 6ul * f);
        long *const arguments[] = {&a, &b, &c, &d, &e, &f};
        for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
                *(volatile long *)arguments[i] = -1;
        registers_spoil();
        return sum;
}

long sys_toll_frame(long to, AFTER_1)
{
        struct toll_frame frame;
        if (!cpu_current->measures)
                return -EPERM;
        registers_give(current_frame(), &frame);
        return user_put((uintptr_t)to, &frame);
}

long sys_toll_checksum(AFTER_0)
{
        return cpu_current->measures ? (long)(kernel_checksum() & 0x7fffffff) : -EPERM;
}

long sys_toll_timer(long hertz, AFTER_1)
{
        if (!cpu_current->measures)
                return -EPERM;
        if (hertz < 19 || hertz > 100000)
                return -EINVAL;
        timer_change((unsigned)hertz);
        schedule_time(); /* sets the lost shot again, */
        schedule();      /* and ends the turn */
        return 0;
}

static __attribute__((noinline)) void page_leave(void *page)
{
        __asm__ volatile("" : : "r"(page));
}

static void toll_leave(void *to, const void *from)
{
        page_leave(to);
}

static void toll_clear(void *to, const void *from)
{
        page_clear(to);
}

static void toll_copy(void *to, const void *from)
{
        page_copy(to, from);
}

long sys_toll_page(long what, AFTER_1)
{
        static void (*const ways[TOLL_PAGES])(void *,
                                              const void *) = {[TOLL_PAGE_nothing] = toll_leave,
                                                               [TOLL_PAGE_clear] = toll_clear,
                                                               [TOLL_PAGE_copy] = toll_copy};
        static uint8_t pages[2][PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));
        if (!cpu_current->measures)
                return -EPERM;
        if ((unsigned long)what >= TOLL_PAGES)
                return -EINVAL;
        ways[what](pages[0], pages[1]);
        return 0;
}

long sys_toll_protect(long level, AFTER_1)
{
        if (!cpu_current->measures || (!cpu_current->trusted && level != PROTECTION_whole))
                return -EPERM;
        if ((unsigned long)level > PROTECTION_whole)
                return -EINVAL;
        ways_protect((enum protection)level);
        return 0;
}

long sys_toll_chain(long on, long to, AFTER_2)
{
        if (!cpu_current->measures)
                return -EPERM;
        const struct toll_chain *chain = chain_record(on);
        return to ? user_put((uintptr_t)to, chain) : 0;
}
