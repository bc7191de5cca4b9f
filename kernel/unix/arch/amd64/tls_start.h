/* tls_start.h - starts a thread on amd64 with the TLS given to clone(). */
#pragma once
#include "errno.h"
#include "process/tls.h"
#include "thread/thread.h"

/* CLONE_SETTLS: the FS base, or a struct user_desc. */
static inline int start_tls(struct thread *thread, uintptr_t tls)
{
        if (thread->origin == ORIGIN_COMPAT)
                return tls_set(thread, tls);
        if (tls >= USER_TOP)
                return -EPERM;
        thread->segments.each[2] = 0;
        thread->segments.fs_base = tls;
        thread->segments.special = true;
        return 0;
}
