/* above.c - what the core is told where one program is alone: there are no files, no signals, and
 * no time (core/above.h). */
#include "above.h"
#include "calls.h"
#include "cpu/cpu.h"
#include "cpu/work.h"
#include "entry/site.h"
#include "machine/console.h"
#include "mem/space.h"
#include "thread/schedule.h"
#include "trap/dispatch.h"

static void nothing(void)
{
}

static void no_thread(struct thread *thread)
{
        (void)thread;
}

static bool no_number(uint32_t tid)
{
        (void)tid;
        return false;
}

static bool no_signal(const struct thread *thread)
{
        (void)thread;
        return false;
}

static bool no_stub(struct frame *frame)
{
        (void)frame;
        return false;
}

static void no_watch(bool quiet)
{
        (void)quiet;
}

static bool no_name(void)
{
        return false;
}

static uint64_t no_time(void)
{
        return 0;
}

static bool no_images(uintptr_t space, enum origin origin)
{
        (void)space, (void)origin;
        return true;
}

static void not_kept(const char *text, size_t count)
{
        (void)text, (void)count;
}

static void not_read(uint8_t byte)
{
        (void)byte;
}

static const char *no_way_off(void)
{
        return "no ACPI is read";
}

static _Noreturn void end(const char *why)
{
        refuse("the program has ended: %s", why);
}

static void out_of_memory(void)
{
        end("out of memory");
}

static void fault(unsigned vector, struct frame *frame)
{
        (void)frame;
        end(exceptions[vector].name);
}

static void no_page(struct frame *frame)
{
        fault(VECTOR_PF, frame);
}

void process_page_fault(struct frame *frame, enum fault found)
{
        (void)found;
        no_page(frame);
}

void process_stack_fault(struct frame *frame)
{
        fault(VECTOR_SS, frame);
}

_Noreturn void process_leave(void)
{
        interrupts_off();
        space_enter(kernel_space);
        thread_let_go(cpu_current);
        cpu_current->state = THREAD_ENDED;
        schedule_leave();
}

_Noreturn void limit_leave(void)
{
        end("its address limit is lifted");
}

void signal_deliver(struct frame *frame)
{
        (void)frame;
}

void process_stop(void)
{
}

void devices_service(void)
{
}

void site_frame(struct frame *frame)
{
        (void)frame;
}

long missing_call(unsigned long number)
{
        (void)number;
        return -ENOSYS;
}

const struct above above = {
        .number_taken = no_number,
        .make_room = nothing,
        .let_go = no_thread,
        .forget = no_thread,
        .wants_signal = no_signal,
        .fault = fault,
        .bus_error = no_page,
        .out_of_memory = out_of_memory,
        .kill = end,
        .runs_by_name = no_name,
        .stub_left = no_stub,
        .quiet = no_watch,
        .quiet_ends = no_name,
        .now = no_time,
        .is_fine = no_name,
        .tick = no_thread,
        .map_images = no_images,
        .say = not_kept,
        .record = not_kept,
        .begin = nothing,
        .last_words = nothing,
        .typed = not_read,
        .power_off = no_way_off,
};
