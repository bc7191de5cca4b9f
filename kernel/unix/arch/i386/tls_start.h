/* tls_start.h - starts a thread on i386 with the TLS given to clone(). */
#pragma once
#include "process/tls.h"
#include "thread/thread.h"

/* CLONE_SETTLS: a struct user_desc. */
static inline int start_tls(struct thread *thread, uintptr_t tls)
{
        return tls_set(thread, tls);
}
