/* tls.h - the segment register that a libc uses for thread-local memory. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* Gives FS this base by arch_prctl(2), or GS a descriptor by set_thread_area(2). */
bool tls_point(const void *base);
uintptr_t tls_word(void); /* reads the first word there */
