/* deeds.h - what the suite `latency` does, in sizes that it chooses. */
#ifndef TOLLGATE_USER_SUITES_LATENCY_DEEDS_H
#define TOLLGATE_USER_SUITES_LATENCY_DEEDS_H

struct deed {
        const char *name;
        void (*run)(unsigned size);
        unsigned from, most; /* sizes; more than `most` the kernel does not allow, or has no room */
};
extern const struct deed deeds[]; /* the last one has no name */

void deeds_begin(void), deeds_end(void); /* in a folder of their own */

#endif
