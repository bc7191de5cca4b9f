/* deeds.h - the calls that the suite `latency` makes, in sizes of its choice. */
#pragma once
struct deed {
        const char *name;
        void (*run)(unsigned size);
        unsigned from, most; /* sizes; above `most` the kernel refuses, or has no room */
};
extern const struct deed deeds[]; /* the last one has no name */

/* The system calls of the deeds and their children since it was zeroed, and how many failed. */
struct deed_calls {
        unsigned made, failed;
};
extern struct deed_calls *deed_calls;

void deeds_begin(void), deeds_end(void); /* work in a folder of their own */
