/* tls.h - thread-local storage of 32-bit programs. */
#pragma once
/* Sets a thread's TLS descriptor from the struct user_desc at `at`, and writes back its index if
 * the program left that open. 0 or -errno. Loaded at the next switch. */
int tls_set(struct thread *thread, uintptr_t at);
