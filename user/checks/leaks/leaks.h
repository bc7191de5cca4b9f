/* leaks.h - rounds that must leave the kernel as they found it. */
#ifndef TOLLGATE_USER_CHECKS_LEAKS_LEAKS_H
#define TOLLGATE_USER_CHECKS_LEAKS_LEAKS_H

#include "linux.h"
#include "toll.h"

#define SYS(name, ...) system_call(NUMBER_##name, ##__VA_ARGS__)
#define THREAD                                                                                     \
        (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_PARENT_SETTID |  \
         CLONE_CHILD_CLEARTID)
#define STACK 4096

/* `share`: one round of so many that are asked for; 0 is 1. Of dear ones, and of those of which the
 * kernel says something, there are fewer. */
struct leak {
        const char *name;
        void (*round)(void);
        unsigned share;
};

extern const struct leak process_leaks[], memory_leaks[], file_leaks[]; /* up to one without name */
extern char *self;      /* the path of this program */
extern uintptr_t image; /* of the functions that programs call */
extern char buffer[8192];
extern uint8_t stacks[8][STACK];

/* A child that does that and ends with 0, until it has ended; one that lives on till it is killed.
 */
void in_child(void (*act)(void));
long child_that(void (*act)(void));
void reap(long pid);
char *map(size_t pages, int flags); /* private or shared, to read and write */
void touch(char *at, size_t pages);

#endif
