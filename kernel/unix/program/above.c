/* above.c - what the core is told of programs with files and signals (core/above.h). */
#include "above.h"
#include "clock/clock.h"
#include "clock/image.h"
#include "dev/acpi.h"
#include "dev/input.h"
#include "dev/log.h"
#include "dev/screen.h"
#include "dev/watch.h"
#include "file/blocks.h"
#include "file/com2.h"
#include "file/terminal.h"
#include "node/mapped.h"
#include "process/alarm.h"
#include "process/end.h"
#include "process/fault.h"
#include "process/limit.h"
#include "process/load_average.h"
#include "process/process.h"
#include "process/resource.h"
#include "process/signal.h"
#include "process/usage.h"
#include "program/export.h"
#include "program/leave.h"
#include "site.h"

void devices_service(void)
{
        if (watch_rang())
                process_kill("it has been quiet for an hour");
        terminal_service();
        blocks_service();
        com2_service();
}

static uint64_t now(void)
{
        return clock_now();
}

static void tick(struct thread *thread)
{
        clock_tick();
        load_average_tick();
        if (thread)
                usage_tick(thread);
}

static void say_to(const char *text, size_t count)
{
        log_say(text, count);
        screen_write(text, count);
}

const struct above above = {
        .thread_bytes = sizeof(struct task),
        .number_taken = process_number_taken,
        .make_room = process_make_room,
        .let_go = task_let_go,
        .forget = process_without,
        .wants_signal = signal_wanted,
        .fault = process_fault,
        .bus_error = process_bus_error,
        .out_of_memory = process_out_of_memory,
        .kill = process_kill,
        .runs_by_name = export_running,
        .stub_left = site_left,
        .quiet = watch_quiet,
        .quiet_ends = watch_ends,
        .now = now,
        .is_fine = clock_is_fine,
        .tick = tick,
        .alarm = alarm_ring,
        .file_maps = mapped_begin,
        .file_unmaps = mapped_end,
        .file_written = mapped_written,
        .file_fault = mapped_fault,
        .executes = memory_execute,
        .executed = memory_executed,
        .map_images = vdso_map,
        .say = say_to,
        .record = log_record,
        .begin = log_begin,
        .last_words = screen_take,
        .typed = input_put,
        .power_off = acpi_power_off,
};
