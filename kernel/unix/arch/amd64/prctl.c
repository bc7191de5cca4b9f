/* prctl.c - arch_prctl(2): the bases of FS and GS. */
#include "calls.h"
#include "context.h"
#include "cpu/msr.h"
#include "thread/posture.h"
#include "thread/user.h"
#include "uapi.h"

long sys_arch_prctl(long code, long address, AFTER_2)
{
        struct segments *s = &cpu_current->segments;
        bool fs = code == ARCH_SET_FS || code == ARCH_GET_FS;
        uint64_t *base = fs ? &s->fs_base : &s->gs_base;
        uint64_t now; /* the program may have loaded a selector since then */
        switch (code) {
        case ARCH_GET_FS:
        case ARCH_GET_GS:
                now = msr_read(fs ? IA32_FS_BASE : IA32_GS_BASE);
                return user_put((uintptr_t)address, &now);
        case ARCH_SET_FS:
        case ARCH_SET_GS:
                if ((uintptr_t)address >= USER_TOP)
                        return -EPERM;
                segments_save(s);
                s->each[fs ? 2 : 3] = 0;
                *base = (uint64_t)address;
                s->special = true;
                segments_change(s);
                posture_changed(cpu_current);
                return 0;
        default: return -EINVAL;
        }
}
