/* calls.h - the kernel's calls by name and number. */
#ifndef TOLLGATE_USER_LIB_CALLS_H
#define TOLLGATE_USER_LIB_CALLS_H

struct named_call {
        const char *name;
        long number;
};

extern const struct named_call named_calls[];
extern const unsigned named_call_count;

#endif
