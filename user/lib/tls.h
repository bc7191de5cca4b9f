/* tls.h - the segment register that a libc keeps its thread's own memory in. */
#ifndef TOLLGATE_USER_LIB_TLS_H
#define TOLLGATE_USER_LIB_TLS_H

#include <stdbool.h>
#include <stdint.h>

/* FS with this base by arch_prctl(2), or GS with a descriptor of its own by set_thread_area(2). */
bool tls_point(const void *base);
uintptr_t tls_word(void); /* the first word there */

#endif
