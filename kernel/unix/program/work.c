/* work.c - does pending work on the way out to a program (cpu/work.h). */
#include "program/work.h"
#include "above.h"
#include "cpu/cpu.h"
#include "cpu/work.h"
#include "dev/screen.h"
#include "dev/watch.h"
#include "file/blocks.h"
#include "file/terminal.h"
#include "fs/ram.h"
#include "process/end.h"
#include "process/limit.h"
#include "process/signal.h"
#include "thread/schedule.h"

void work_devices(void)
{
        cpu_work &= (uint8_t)~WORK_DEVICE;
        if (watch_rang())
                process_kill("it has been quiet for an hour");
        terminal_service();
        screen_show_row(); /* the echo */
        blocks_service();
        ram_drop_left(false);
        node_release_late();
}

static __attribute__((noinline)) void first_of_all(struct frame *frame, uint8_t work)
{
        if (work & WORK_EXIT)
                process_leave();
        if (work & WORK_LIMIT)
                limit_leave();            /* no other program may write to its address */
        cpu_work &= (uint8_t)~WORK_METER; /* it slept in a call until after the measurement */
        if (work & WORK_SINGLE_STEP) {
                cpu_work &= (uint8_t)~WORK_SINGLE_STEP;
                frame->flags |= RFLAGS_TF;
        }
}

void work_do(struct frame *frame)
{
        uint8_t work;
        while ((work = cpu_work)) {
                if (work & (WORK_EXIT | WORK_LIMIT | WORK_SINGLE_STEP | WORK_METER)) {
                        first_of_all(frame, work);
                } else if (work & WORK_SIGNAL) {
                        cpu_work &= (uint8_t)~WORK_SIGNAL;
                        signal_deliver(frame);
                } else if (work & WORK_DEVICE) {
                        work_devices();
                } else if (work & WORK_STOP) {
                        process_stop();
                } else {
                        schedule();
                }
        }
}
