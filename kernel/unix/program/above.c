/* above.c - the core's calls into the Unix kernel, which has files and signals (core/above.h). */
#include "above.h"
#include "clock/clock.h"
#include "clock/image.h"
#include "dev/log.h"
#include "dev/screen.h"
#include "dev/watch.h"
#include "file/pty.h"
#include "fs/ram.h"
#include "node/mapped.h"
#include "process/alarm.h"
#include "process/end.h"
#include "process/fault.h"
#include "process/process.h"
#include "process/resource.h"
#include "process/signal.h"
#include "program/export.h"
#include "program/leave.h"
#include "site.h"

static uint64_t now(void)
{
        return clock_now();
}

static void task_left(struct thread *thread, bool for_good)
{
        if (for_good)
                process_without(thread);
        else
                task_let_go(thread);
}

/* Frames that removed files have left are enough for a second try. */
static bool page_lost(struct frame *frame, enum fault found, bool user)
{
        if (found == FAULT_NO_MEMORY)
                return ram_drop_part() || process_out_of_memory(user);
        process_bus_error(frame);
        return true;
}

static bool explains(unsigned vector, struct frame *frame, bool bad_stack)
{
        if (bad_stack)
                return site_left(frame);
        if (vector == VECTOR_PF && export_running() && cr2_read() < cpu_current->memory->limit)
                process_kill("it gave a kernel function an address where nothing is");
        return false;
}

static bool machine_quiet(enum quiet what)
{
        if (what == QUIET_ASKED)
                return watch_ends();
        watch_quiet(what == QUIET_BEGINS);
        return false;
}

static void file(enum file_use use, struct node *node, struct memory *memory)
{
        if (use <= FILE_MAPPED_WRITABLE)
                mapped_begin(node, use - FILE_MAPPED);
        else if (use <= FILE_UNMAPPED_WRITABLE)
                mapped_end(node, use - FILE_UNMAPPED);
        else if (use == FILE_WRITTEN)
                mapped_written(node);
        else if (memory)
                memory_execute(memory, node);
        else
                memory_executed(node);
}

/* A group may have died in front of its terminal: its number would get the signals of the keys. */
static bool number_taken(uint32_t number)
{
        return pty_has_group(number) || process_number_taken(number);
}

static void said(enum said what, const char *text, size_t count)
{
        if (what == SAID_TEXT) {
                log_say(text, count);
                screen_write(text, count);
        } else if (what == SAID_RECORD) {
                log_record(text, count);
        } else if (what == SAID_RUN_BEGINS) {
                log_begin();
        } else {
                screen_take();
        }
}

const struct above above = {
        .thread_bytes = sizeof(struct task),
        .number_taken = number_taken,
        .make_room = process_make_room,
        .left = task_left,
        .wants_signal = signal_wanted,
        .fault = process_fault,
        .page_lost = page_lost,
        .kill = process_kill,
        .explains = explains,
        .quiet = machine_quiet,
        .now = now,
        .alarm = alarm_ring,
        .file = file,
        .file_fault = mapped_fault,
        .map_images = vdso_map,
        .said = said,
};
