/*
 * grammar.h - kinds that are tables: the calls that a kind makes, and what each takes.
 *
 * A deed is one call of the table with arguments drawn from the kind's own paths and words, told as
 * a line of strace. Every 2 ms a signal comes, so no call waits for ever.
 */
#ifndef TOLLGATE_USER_TORTURE_GRAMMAR_H
#define TOLLGATE_USER_TORTURE_GRAMMAR_H

#include "torture.h"

/*
 * What a call takes, a letter for each argument; those that are missing are 0:
 *
 *   f  a descriptor      p  a path             a  a socket's address    l  its length
 *   L  where that lies   b  a buffer           z  a size                v  an iovec
 *   n  how many          m  a struct msghdr    w  the kind's words      e  an even choice, 0 or 1
 *   o  pollfds           T  a short timespec   i  a process             g  a signal
 *   x  any word          S  SOCK_STREAM        0, 1  these
 */
struct form {
        const char *name;
        long number; /* 0 = `act` is called instead */
        const char *takes;
        long (*act)(struct random *random);
};
#define FORM(name, takes)                                                                          \
        {                                                                                          \
#name, NUMBER_##name, takes, NULL                                                  \
        }
#define DEED(name)                                                                                 \
        {                                                                                          \
#name, 0, "", name                                                                 \
        }

struct language {
        const struct form *forms;
        const char *const *paths; /* may hold %u twice: a descriptor, or a process */
        const uintptr_t *words;
        unsigned form_count, path_count, word_count;
};
#define LANGUAGE(forms, paths, words)                                                              \
        {                                                                                          \
                forms, paths, words, sizeof forms / sizeof *forms, sizeof paths / sizeof *paths,   \
                        sizeof words / sizeof *words                                               \
        }

long grammar_init(void); /* -ENOSYS on another kernel */
void grammar_begin(void);
void grammar_end(void);
unsigned grammar_act(struct random *random, const struct language *language);
void grammar_outcome_name(unsigned outcome, char *to, unsigned size);

/* A process that makes up to eight such calls and ends, or is killed. */
long grammar_fork(struct random *random, const struct language *language);
long grammar_kill(struct random *random);
long grammar_reap(struct random *random);

#define GRAMMAR_KIND(which, before, after)                                                         \
        const struct kind kind_##which = {                                                         \
                .name = #which,                                                                    \
                .init = before,                                                                    \
                .act = act,                                                                        \
                .outcome_name = grammar_outcome_name,                                              \
                .varied = 8,                                                                       \
                .asked = true,                                                                     \
                .chunk = 250,                                                                      \
                .limit = 30000,                                                                    \
                .begin = grammar_begin,                                                            \
                .end = after,                                                                      \
        }

#endif
