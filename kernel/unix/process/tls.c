/* tls.c - thread-local storage of 32-bit programs: three GDT descriptors that are switched with the
 * thread (set_thread_area(2); Linux's asm/ldt.h, struct user_desc). */
#include "context.h"
#include "cpu/descriptor.h"
#include "thread/user.h"
#include "calls.h"
#include "thread/posture.h"
#include "process/tls.h"

struct user_desc {
        uint32_t entry, base, limit;
        uint32_t seg_32bit : 1, contents : 2, read_exec_only : 1, limit_in_pages : 1,
                seg_not_present : 1, useable : 1, lm : 1, unused : 24;
};
_Static_assert(sizeof(struct user_desc) == 16, "user_desc");

static bool is_empty(const struct user_desc *u)
{
        return !u->base && !u->limit && !u->contents && u->read_exec_only && !u->seg_32bit &&
               !u->limit_in_pages && u->seg_not_present && !u->useable;
}

/* SDM 3A, "Segment Descriptors": data, DPL 3, accessed. */
static uint64_t descriptor_of(const struct user_desc *u)
{
        if (is_empty(u))
                return 0;
        uint64_t type = 1 | (u->read_exec_only ? 0 : 2) | (u->contents == 1 ? 4 : 0);
        return (u->limit & 0xffff) | (uint64_t)(u->base & 0xffffff) << 16 | type << 40 |
               1ull << 44 | 3ull << 45 | 1ull << 47 | (uint64_t)(u->limit >> 16 & 15) << 48 |
               (uint64_t)u->useable << 52 | 1ull << 54 | (uint64_t)u->limit_in_pages << 55 |
               (uint64_t)(u->base >> 24) << 56;
}

int tls_set(struct thread *thread, uintptr_t at)
{
        struct segments *s = &thread->segments;
        struct user_desc u;
        if (user_get(&u, at))
                return -EFAULT;
        bool choose = u.entry == (uint32_t)-1;
        if (choose)
                for (u.entry = TLS_FIRST; u.entry < TLS_FIRST + TLS_ENTRIES; u.entry++)
                        if (!s->tls[u.entry - TLS_FIRST])
                                break;
        if (choose && u.entry == TLS_FIRST + TLS_ENTRIES)
                return -ESRCH;
        if (u.entry - TLS_FIRST >= TLS_ENTRIES)
                return -EINVAL;
        if (!is_empty(&u) && (!u.seg_32bit || u.contents > 1 || u.seg_not_present))
                return -EINVAL;
        if (choose && user_put(at, &u.entry))
                return -EFAULT;
        s->tls[u.entry - TLS_FIRST] = descriptor_of(&u);
        s->special = s->described = true;
        return 0;
}

long sys_set_thread_area(long at, AFTER_1)
{
        struct segments *s = &cpu_current->segments;
        segments_save(s);
        int error = tls_set(cpu_current, (uintptr_t)at);
        segments_change(s);
        posture_changed(cpu_current);
        return error;
}
