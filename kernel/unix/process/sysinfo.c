/* sysinfo.c - sysinfo(): the machine's uptime, load and memory. */
#include "clock/clock.h"
#include "node/quota.h"
#include "mem/frame.h"
#include "thread/user.h"
#include "calls.h"
#include "process/load_average.h"
#include "process/process.h"

#define SHARE (16 - LOAD_BITS) /* its loads have 16 fraction bits */

/* 64-bit and 32-bit struct sysinfo */
struct sysinfo_wide {
        int64_t uptime;
        uint64_t loads[LOAD_AVERAGES], total, free, shared, buffers, swap_total, swap_free;
        uint16_t processes, pad[3];
        uint64_t high_total, high_free;
        uint32_t unit, end;
};
_Static_assert(sizeof(struct sysinfo_wide) == 112, "sysinfo");

struct sysinfo_narrow {
        int32_t uptime;
        uint32_t loads[LOAD_AVERAGES], total, free, shared, buffers, swap_total, swap_free;
        uint16_t processes, pad;
        uint32_t high_total, high_free, unit;
        uint8_t rest[8];
};
_Static_assert(sizeof(struct sysinfo_narrow) == 64, "sysinfo of i386");

#define FILL(what)                                                                                 \
        what.uptime = moment_seconds(clock_now());                                                 \
        for (unsigned i = 0; i < LOAD_AVERAGES; i++)                                               \
                what.loads[i] = load_averages[i] << SHARE;                                         \
        what.total = frame_total * PAGE_SIZE;                                                      \
        what.free = frame_count() * PAGE_SIZE;                                                     \
        what.shared = quota_held;                                                                  \
        what.processes = (uint16_t)thread_count();                                                 \
        what.unit = 1

long sys_sysinfo(long to, AFTER_1)
{
        struct sysinfo_wide wide = {0};
        struct sysinfo_narrow narrow = {0};
        if (call_narrow()) {
                FILL(narrow);
                return user_put((uintptr_t)to, &narrow);
        }
        FILL(wide);
        return user_put((uintptr_t)to, &wide);
}
