/* futex.c - waiting for a word of memory to change (futex(2)): WAIT, WAKE and REQUEUE. */
#include "process/futex.h"
#include "clock/clock.h"
#include "cpu/window.h"
#include "mem/frame.h"
#include "mem/memory.h"
#include "mem/space.h"
#include "mem/tree.h"
#include "thread/user.h"
#include "calls.h"
#include "process/time.h"
#include "uapi.h"
#include "process/task.h"
#include "process/missing.h"

/* The command without the clock's choice and FUTEX_PRIVATE_FLAG, which is only a hint. */
#define FUTEX_COMMAND ~(unsigned)(FUTEX_CLOCK_REALTIME | FUTEX_PRIVATE_FLAG)
#define ANY 0xffffffff

static struct waiters sleepers; /* threads that wait on any word */

/* A word in shared memory has one key, at all addresses where programs map it. */
static struct futex_key key_of(uintptr_t address)
{
        struct memory *memory = cpu_current->memory;
        const struct area *area = tree_at(memory, address);
        uint32_t word;
        if (!area || !(area->flags & AREA_SHARED))
                return (struct futex_key){memory->order, address};
        const pte_t *entry = space_entry(memory->space, address);
        if (!entry && !user_get(&word, address)) /* a file's page appears at the first touch */
                entry = space_entry(memory->space, address);
        uintptr_t frame = entry ? *entry & PTE_ADDRESS : 0;
        return (struct futex_key){0, frame | (address & (PAGE_SIZE - 1))};
}

/* While a thread waits it holds the frame, which could be another program's otherwise. */
static void hold_frame(struct task *task, const struct futex_key *key)
{
        uintptr_t was = task->futex_frame;
        task->futex_frame = key->memory ? 0 : key->address & ~(uintptr_t)(PAGE_SIZE - 1);
        if (task->futex_frame)
                frame_share(task->futex_frame);
        if (was)
                frame_free(was);
}

static bool is_same(const struct futex_key *a, const struct futex_key *b)
{
        return a->memory == b->memory && a->address == b->address;
}

/* Wakes the first `most` waiters and moves `moved` more to another word. Returns both together. */
static long wake_and_move(uintptr_t from, unsigned most, uint32_t bits, uintptr_t to,
                          unsigned moved)
{
        const struct futex_key there = key_of(from);
        const struct futex_key other = moved ? key_of(to) : there;
        unsigned long woken = 0, left = moved;
        for (struct thread *p = sleepers.first, *next; p; p = next) {
                next = p->next_waiter;
                interrupt_window();
                if (!is_same(&task_of(p)->futex, &there) || !(task_of(p)->futex_bits & bits))
                        continue;
                if (woken < most) {
                        task_of(p)->futex.address = 0;
                        wake(p);
                        woken++;
                } else if (left) {
                        task_of(p)->futex = other;
                        hold_frame(task_of(p), &other);
                        left--;
                }
        }
        return (long)(woken + moved - left);
}

/* Wakes at least one, as on Linux, which compares the count after the first. */
static long futex_wake(uintptr_t address, int most, uint32_t bits)
{
        return wake_and_move(address, most > 0 ? (unsigned)most : 1, bits, address, 0);
}

enum timeout { FOR_A_TIME, UNTIL_A_MOMENT, UNTIL_A_DATE };

/* Waits until it is woken or times out: `timeout_at` is 0, or the address of a struct timespec. */
static long futex_wait(uintptr_t address, uint32_t expected, uintptr_t timeout_at, enum timeout how,
                       uint32_t bits)
{
        uint32_t value;
        uint64_t end = 0;
        bool absolute = how != FOR_A_TIME;
        int error = !timeout_at ? 0
                    : absolute  ? time_at(timeout_at, how == UNTIL_A_DATE, &end)
                                : time_after(timeout_at, NANOSECONDS, &end);
        if (error)
                return error;
        if (user_get(&value, address))
                return -EFAULT;
        if (value != expected)
                return -EAGAIN;
        task()->futex = key_of(address);
        hold_frame(task(), &task()->futex);
        task()->futex_bits = bits;
        while (!error && task()->futex.address) {
                if (timeout_at && end <= clock_now())
                        error = -ETIMEDOUT;
                else if (!(timeout_at ? wait_until(&sleepers, end) : wait_on(&sleepers)))
                        error = timeout_at && !absolute ? (int)sleep_interrupted()
                                                        : (int)call_interrupted(ERESTARTSYS);
        }
        hold_frame(task(), &(struct futex_key){0});
        return error;
}

static long futex_requeue(uintptr_t from, unsigned most, unsigned moved, uintptr_t to,
                          const uint32_t *expected)
{
        uint32_t value;
        if (to & 3 || (int)most < 0 || (int)moved < 0)
                return -EINVAL;
        if (user_get(&value, to) || user_get(&value, from))
                return -EFAULT;
        if (expected && value != *expected)
                return -EAGAIN;
        return wake_and_move(from, most, ANY, to, moved);
}

long sys_futex(long at, long operation, long value, long time_or_count, long other, long last)
{
        unsigned command = (unsigned)operation & FUTEX_COMMAND;
        uintptr_t address = (uintptr_t)at, extra = (uintptr_t)time_or_count;
        uint32_t bits = (uint32_t)last;
        if (operation & FUTEX_CLOCK_REALTIME && command != FUTEX_WAIT_BITSET)
                return -ENOSYS;
        if (address & 3)
                return -EINVAL;
        switch (command) {
        case FUTEX_WAIT: return futex_wait(address, (uint32_t)value, extra, FOR_A_TIME, ANY);
        case FUTEX_WAKE: return futex_wake(address, (int)value, ANY);
        case FUTEX_REQUEUE:
                return futex_requeue(address, (unsigned)value, (unsigned)extra, (uintptr_t)other,
                                     NULL);
        case FUTEX_CMP_REQUEUE:
                return futex_requeue(address, (unsigned)value, (unsigned)extra, (uintptr_t)other,
                                     &bits);
        case FUTEX_WAIT_BITSET:
                return bits ? futex_wait(address, (uint32_t)value, extra,
                                         operation & FUTEX_CLOCK_REALTIME ? UNTIL_A_DATE
                                                                          : UNTIL_A_MOMENT,
                                         bits)
                            : -EINVAL;
        case FUTEX_WAKE_BITSET: return bits ? futex_wake(address, (int)value, bits) : -EINVAL;
        default: return missing_request(MISSING_futex, command, -ENOSYS);
        }
}

long sys_set_tid_address(long address, AFTER_1)
{
        task()->clear_tid = (uintptr_t)address;
        return (long)cpu_current->tid;
}

void futex_clear_tid(struct thread *thread)
{
        uint32_t none = 0;
        if (task_of(thread)->clear_tid && thread->memory->users > 1 &&
            !user_put(task_of(thread)->clear_tid, &none))
                futex_wake(task_of(thread)->clear_tid, 1, ANY);
}

/* Robust mutexes: a waiter is notified when the owner ends (set_robust_list(2)). Words of a struct
 * robust_list_head: first entry, offset from an entry to its futex, and the entry being locked or
 * unlocked. An entry begins with the address of the next; PI: bit 0 of it. */
enum { FIRST, OFFSET, PENDING, HEAD_WORDS };
#define ROBUST_MOST 2048 /* entries: a list may be circular */

static size_t head_size(void)
{
        return HEAD_WORDS * program_word();
}

long sys_set_robust_list(long head, long size, AFTER_2)
{
        if ((unsigned long)size != head_size())
                return -EINVAL;
        task()->robust = (uintptr_t)head;
        return 0;
}

/* Only the current thread's list; others' are private. */
long sys_get_robust_list(long tid, long head_at, long size_at, AFTER_3)
{
        const uintptr_t size = head_size();
        if (tid && tid != (long)cpu_current->tid)
                return -EPERM;
        if (user_put_words((uintptr_t)size_at, &size, 1))
                return -EFAULT;
        return user_put_words((uintptr_t)head_at, &task()->robust, 1);
}

/* The owner of this entry's word has ended. `pending`: it may have unlocked the word without waking
 * a waiter. */
static void owner_died(uintptr_t entry, uintptr_t offset, bool pending)
{
        uint32_t value;
        uintptr_t address = entry + offset;
        if (call_narrow())
                address = (uint32_t)address; /* the offset may be negative */
        if (address & 3 || user_get(&value, address))
                return;
        if ((value & FUTEX_TID_MASK) == cpu_current->tid) {
                uint32_t died = (value & FUTEX_WAITERS) | FUTEX_OWNER_DIED;
                if (user_put(address, &died) || !(value & FUTEX_WAITERS))
                        return;
        } else if (!pending || value) {
                return;
        }
        futex_wake(address, 1, ANY);
}

void futex_owner_ends(struct thread *thread)
{
        uintptr_t head[HEAD_WORDS], at = task_of(thread)->robust;
        task_of(thread)->robust = 0;
        if (!at || user_get_words(head, at, HEAD_WORDS))
                return;
        uintptr_t pending = head[PENDING] & ~(uintptr_t)1;
        uintptr_t entry = head[FIRST] & ~(uintptr_t)1;
        for (unsigned left = ROBUST_MOST; entry != at && left; left--) {
                uintptr_t next = 0;
                bool lost = user_get_words(&next, entry, 1);
                if (entry != pending)
                        owner_died(entry, head[OFFSET], false);
                if (lost)
                        return;
                entry = next & ~(uintptr_t)1;
                work_goes_on(); /* many may wait for each */
        }
        if (pending)
                owner_died(pending, head[OFFSET], true);
}
