/* tls.h - thread-local storage of 32-bit programs. */
#ifndef TOLLGATE_UNIX_PROCESS_TLS_H
#define TOLLGATE_UNIX_PROCESS_TLS_H

/* Sets one of a thread's TLS descriptors as the struct user_desc at `at` says, and writes back
 * which one if it left the choice. 0 or -errno. The processor learns of it at the next switch. */
int tls_set(struct thread *thread, uintptr_t at);

#endif
