/* tls.h - the segment register that a libc uses for thread-local memory. */
#ifndef TOLLGATE_USER_LIB_TLS_H
#define TOLLGATE_USER_LIB_TLS_H

#include <stdbool.h>
#include <stdint.h>

/* Gives FS this base by arch_prctl(2), or GS a descriptor by set_thread_area(2). */
bool tls_point(const void *base);
uintptr_t tls_word(void); /* reads the first word there */

#endif
