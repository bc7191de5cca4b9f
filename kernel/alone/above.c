/* above.c - the core's calls into a kernel with one program: no files, no signals, no time
 * (core/above.h). */
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

static bool no_number(uint32_t tid)
{
        return false;
}

static void holds_nothing(struct thread *thread, bool for_good)
{
}

static bool no_signal(const struct thread *thread)
{
        return false;
}

static bool unexplained(unsigned vector, struct frame *frame, bool bad_stack)
{
        return false;
}

static bool no_watch(enum quiet quiet)
{
        return false;
}

static uint64_t no_time(void)
{
        return 0;
}

static bool no_images(uintptr_t space, enum origin origin)
{
        return true;
}

static void not_kept(enum said what, const char *text, size_t count)
{
}

static _Noreturn void alone_end(const char *why)
{
        refuse("the program has ended: %s", why);
}

static void alone_fault(unsigned vector, struct frame *frame)
{
        alone_end(exceptions[vector].name);
}

static bool page_lost(struct frame *frame, enum fault found, bool user)
{
        if (found == FAULT_NO_MEMORY)
                alone_end("out of memory");
        alone_fault(VECTOR_PF, frame);
        return false;
}

void process_page_fault(struct frame *frame, enum fault found)
{
        page_lost(frame, found, true);
}

static _Noreturn void alone_leave(void)
{
        interrupts_off();
        space_load(kernel_space);
        thread_let_go(cpu_current);
        cpu_current->state = THREAD_ENDED;
        schedule_leave();
}

void work_do(struct frame *frame)
{
        uint8_t work;
        while ((work = cpu_work)) {
                if (work & WORK_EXIT)
                        alone_leave();
                if (work & WORK_LIMIT)
                        alone_end("its address limit is lifted");
                cpu_work &= WORK_RESCHEDULE;
                if (work & WORK_SINGLE_STEP)
                        frame->flags |= RFLAGS_TF;
                if (work & WORK_RESCHEDULE)
                        schedule();
        }
}

void site_frame(struct frame *frame)
{
}

long missing_call(unsigned long number)
{
        return -ENOSYS;
}

const struct above above = {
        .number_taken = no_number,
        .make_room = nothing,
        .left = holds_nothing,
        .wants_signal = no_signal,
        .fault = alone_fault,
        .page_lost = page_lost,
        .kill = alone_end,
        .explains = unexplained,
        .quiet = no_watch,
        .now = no_time,
        .map_images = no_images,
        .said = not_kept,
};
