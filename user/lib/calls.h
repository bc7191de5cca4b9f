/* calls.h - system calls by name and number, and those that tests must not make blindly. */
#ifndef TOLLGATE_USER_LIB_CALLS_H
#define TOLLGATE_USER_LIB_CALLS_H

#include <stdbool.h>

struct named_call {
        const char *name;
        long number;
};

extern const struct named_call named_calls[];
extern const unsigned named_call_count;

/* With any arguments it neither ends, stops nor multiplies processes, nor waits for ever. */
bool call_is_tame(const struct named_call *call);

#endif
