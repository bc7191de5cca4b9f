/* calls.h - the kernel's calls by name and number. */
#pragma once
struct named_call {
        const char *name;
        long number;
};

extern const struct named_call named_calls[];
extern const unsigned named_call_count;
