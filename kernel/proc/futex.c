/* futex.c - waiting for a word of shared memory to change (futex(2)): WAIT and WAKE. */
#include "dev/timer.h"
#include "mem/memory.h"
#include "mem/space.h"
#include "proc/calls.h"
#include "proc/process.h"
#include "uapi.h"

#define FUTEX_COMMAND 0x7f /* without FUTEX_PRIVATE and the choice of clock */

static struct waiters sleepers; /* on all words */

static long futex_wake(uintptr_t address, unsigned most)
{
        long woken = 0;
        for (struct process *p = sleepers.first, *next; p && (unsigned long)woken < most;
             p = next) {
                next = p->next_waiter;
                if (p->futex.memory == cpu_current->memory && p->futex.address == address) {
                        p->futex.memory = NULL;
                        wake(p);
                        woken++;
                }
        }
        return woken;
}

static long futex_wait(uintptr_t address, uint32_t expected, uintptr_t timeout_at)
{
        uint32_t value, end = 0;
        if (user_read(&value, address, sizeof value))
                return -EFAULT;
        if (value != expected)
                return -EAGAIN;
        if (timeout_at) {
                uint64_t pair[2] = {0, 0};
                unsigned width = program_word();
                if (user_read(&pair[0], timeout_at, width) ||
                    user_read(&pair[1], timeout_at + width, width))
                        return -EFAULT;
                if (pair[0] >> 24 || pair[1] >= 1000000000)
                        return -EINVAL;
                end = timer_ticks + (uint32_t)pair[0] * TIMER_HZ +
                      (uint32_t)pair[1] / (1000000000 / TIMER_HZ) + 1;
                end = sleep_end(end);
        }
        cpu_current->futex = (struct futex_key){cpu_current->memory, address};
        while (cpu_current->futex.memory) {
                if (timeout_at && (int32_t)(end - timer_ticks) <= 0)
                        return -ETIMEDOUT;
                if (!(timeout_at ? wait_until(&sleepers, end) : wait_on(&sleepers)))
                        return timeout_at ? sleep_interrupted() : call_interrupted(ERESTARTSYS);
        }
        return 0;
}

long sys_futex(long address, long operation, long value, long timeout_at, AFTER_4)
{
        if (address & 3)
                return -EINVAL;
        switch (operation & FUTEX_COMMAND) {
        case FUTEX_WAIT:
                return futex_wait((uintptr_t)address, (uint32_t)value, (uintptr_t)timeout_at);
        case FUTEX_WAKE: return futex_wake((uintptr_t)address, (unsigned)value);
        default: return -ENOSYS;
        }
}

long sys_set_tid_address(long address, AFTER_1)
{
        cpu_current->clear_tid = (uintptr_t)address;
        return (long)cpu_current->tid;
}

void thread_clear_tid(struct process *process)
{
        uint32_t none = 0;
        if (process->clear_tid && process->memory->users > 1 &&
            !user_write(process->clear_tid, &none, sizeof none))
                futex_wake(process->clear_tid, 1);
}
