/* tls.h - thread-local storage of 32-bit programs. */
#ifndef TOLLGATE_UNIX_PROCESS_TLS_H
#define TOLLGATE_UNIX_PROCESS_TLS_H

/* Sets a thread's TLS descriptor from the struct user_desc at `at`, and writes back its index if
 * the program left that open. 0 or -errno. Loaded at the next switch. */
int tls_set(struct thread *thread, uintptr_t at);

#endif
