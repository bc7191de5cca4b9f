/* attack.h - a case: code that ring 3 can run, and how it may end. It must have no effect outside
 * its process. */
#pragma once
#include "../torture/torture.h"
#include "linux.h"

#define PAGE 4096
/* The allowed ends: bit n = killed by signal n, bit 0 = survives. As on Linux, if Linux has the
 * mechanism; several if processors differ. */
#define LIVES 1u
#define SEGV (1u << SIGSEGV)
#define BUS (1u << SIGBUS)
#define ILL (1u << SIGILL)
#define TRAP (1u << SIGTRAP)
#define FPE (1u << SIGFPE)

struct attack {
        const char *name;
        uintptr_t ends;
        void (*run)(uintptr_t argument);
        uintptr_t argument;
};

#define SUBJECTS(SUBJECT)                                                                          \
        SUBJECT(instructions)                                                                      \
        SUBJECT(vectors)                                                                           \
        SUBJECT(addresses)                                                                         \
        SUBJECT(edges)                                                                             \
        SUBJECT(entries)                                                                           \
        SUBJECT(selectors)                                                                         \
        SUBJECT(tls)                                                                               \
        SUBJECT(transfers)                                                                         \
        SUBJECT(frames)                                                                            \
        SUBJECT(limit)                                                                             \
        SUBJECT(races)

#define DECLARE_SUBJECT(name) extern const struct row name##_row;
SUBJECTS(DECLARE_SUBJECT)
#undef DECLARE_SUBJECT

/* Selectors of 32 descriptors: as many as our GDT has, twice Linux's, and two beyond. */
#define SELECTORS 0x110

/* Called by a case's code; they end its process with these statuses. */
enum { CASE_WRONG = 90, CASE_NOT_HERE };
_Noreturn void wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void not_here(void); /* this kernel or processor lacks the target */

/* The mechanism that is always a system call. */
extern long (*call)(long, ...);
#define call(...) CALL_BY(call, __VA_ARGS__)

extern char **words;           /* the program's arguments */
extern bool on_tollgate;       /* no other kernel */
uintptr_t address_given(void); /* the address in at=ADDRESS, or a kernel address */
