/* siginfo.c - struct siginfo outside of frames: for calls that send more than a number, and calls
 * that wait for a signal instead of handling it. */
#include "clock/clock.h"
#include "thread/user.h"
#include "calls.h"
#include "process/alarm.h"
#include "process/process.h"
#include "process/sigframe.h"
#include "process/time.h"
#include "process/signal.h"

#define MASK_SIZE 8

/* Both layouts, up to the last used field. */
struct siginfo64 {
        int32_t signal, error, code, reserved;
        uint32_t sender, user;
        uint64_t value, rest[12];
};
struct siginfo32 {
        int32_t signal, error, code;
        uint32_t sender, user, value, rest[26];
};
_Static_assert(sizeof(struct siginfo64) == 128 && sizeof(struct siginfo32) == 128, "siginfo");

static int read_info(uintptr_t from, int signal, struct signal_info *to)
{
        struct siginfo64 wide;
        struct siginfo32 narrow;
        *to = (struct signal_info){.signal = signal};
        if (call_narrow() ? user_get(&narrow, from) : user_get(&wide, from))
                return -EFAULT;
        to->code = call_narrow() ? narrow.code : wide.code;
        to->sender = call_narrow() ? narrow.sender : wide.sender;
        to->user = call_narrow() ? narrow.user : wide.user;
        to->value = call_narrow() ? narrow.value : (uintptr_t)wide.value;
        to->address = call_narrow() ? narrow.sender
                                    : (uintptr_t)((uint64_t)wide.user << 32 | wide.sender);
        return 0;
}

int siginfo_write(uintptr_t to, const struct signal_info *info)
{
        uint64_t place = signal_place(info);
        struct siginfo64 wide = {.signal = info->signal,
                                 .code = info->code,
                                 .sender = (uint32_t)place,
                                 .user = (uint32_t)(place >> 32),
                                 .value = info->value};
        struct siginfo32 narrow = {.signal = info->signal,
                                   .code = info->code,
                                   .sender = (uint32_t)place,
                                   .user = signal_of_fault(info) ? 0 : info->user,
                                   .value = (uint32_t)info->value};
        return call_narrow() ? user_put(to, &narrow) : user_put(to, &wide);
}

/* A program may claim a signal is from the kernel, or from kill(), only to its own first thread:
 * Linux compares the tid. */
static bool may_say(const struct signal_info *info, uint32_t pid)
{
        return (info->code < 0 && info->code != SI_TKILL) || pid == cpu_current->tid;
}

long sys_rt_sigqueueinfo(long pid, long signal, long from, AFTER_3)
{
        struct signal_info info;
        int error = read_info((uintptr_t)from, (int)signal, &info);
        if (error)
                return error;
        return may_say(&info, (uint32_t)pid) ? signal_send_checked((uint32_t)pid, 0, &info)
                                             : -EPERM;
}

long sys_rt_tgsigqueueinfo(long pid, long tid, long signal, long from, AFTER_4)
{
        struct signal_info info;
        if ((int)pid <= 0 || (int)tid <= 0)
                return -EINVAL;
        int error = read_info((uintptr_t)from, (int)signal, &info);
        if (error)
                return error;
        return may_say(&info, (uint32_t)pid)
                       ? signal_send_checked((uint32_t)pid, (uint32_t)tid, &info)
                       : -EPERM;
}

/* A pending signal out of `wanted`, or 0. */
static int pending_of(uint64_t wanted)
{
        uint64_t due = task()->signals.pending & wanted;
        return due ? signal_first(due) : 0;
}

/* Waits until one of `wanted` is pending. 0 = timeout, or (-EINTR) another signal came. */
static int wait_for(uint64_t wanted, bool timed, uint64_t end)
{
        struct signal_state *s = &task()->signals;
        int signal;
        s->waited = wanted;
        s->waits = true;
        signal_take_over(wanted);
        while (!(signal = pending_of(wanted)) && !(timed && end <= clock_now())) {
                if (!(timed ? wait_woken_until(end) : wait_woken())) {
                        signal = pending_of(wanted);
                        signal = signal ? signal : -EINTR;
                        break;
                }
        }
        s->waits = false;
        return signal;
}

long sys_rt_sigtimedwait(long from, long to, long time, long size, AFTER_4)
{
        uint64_t wanted;
        uint64_t end = 0;
        if (size != MASK_SIZE)
                return -EINVAL;
        if (user_get(&wanted, (uintptr_t)from))
                return -EFAULT;
        int error = time ? time_after((uintptr_t)time, NANOSECONDS, &end) : 0;
        if (error)
                return error;
        int signal = wait_for(wanted & ~SIGNALS_UNBLOCKABLE, time, end);
        if (signal <= 0)
                return signal ? signal : -EAGAIN;
        struct signal_info info;
        signal_take(&task()->signals, signal, &info);
        if (signal == SIGALRM)
                alarm_taken(task()->process);
        return to && siginfo_write((uintptr_t)to, &info) ? -EFAULT : signal;
}
