/*
 * toll.c - the testbed's own calls at random, by the way in that is armed and by INT 80h: rows and
 * flavours, breakpoints, rates of the timer, hand-offs, quiet machines.
 */
#include "grammar.h"
#include "linux.h"

static const struct language language;

static long child(struct random *random)
{
        return grammar_fork(random, &language);
}

/* What a quiet program calls is counted from here; then it is as loud as before. */
static long quiet(struct random *random)
{
        long answer = toll_call(NUMBER_toll_quiet, 1);
        for (unsigned n = random_below(random, 4); n; n--)
                answer = toll_call(NUMBER_toll_select, random_below(random, 200),
                                   random_below(random, 4));
        toll_call(NUMBER_toll_select, TOLL_DEFAULT, 0);
        toll_call(NUMBER_toll_quiet, 0);
        return answer;
}

/* A row of a system call, one call by the way that it arms, and the default again. */
static long row(struct random *random)
{
        struct toll_row about;
        long number = (long)random_below(random, 200);
        if (toll_call(NUMBER_toll_row, number, &about))
                return -ENOENT;
        if (about.alone || about.quiet || about.vector || about.missing[0])
                return -EINVAL;
        long answer = toll_call(NUMBER_toll_select, number, random_below(random, 3));
        if (!answer)
                answer = gate_call((const void *)(uintptr_t)about.clean, NUMBER_getpid);
        toll_call(NUMBER_toll_select, TOLL_DEFAULT, 0);
        return answer;
}

/* Without TOLL_BEGIN: what counts lasts until the first program ends, and is code. */
static long latency(struct random *random)
{
        uintptr_t number = random_word(random, 0) & 0x3fff;
        return toll_call(NUMBER_toll_latency, number, random_word(random, 0x30000000));
}

static const struct form forms[] = {
        FORM(toll_row, "wb"),
        FORM(toll_row, "nb"),
        FORM(toll_row, "xx"),
        FORM(toll_select, "ww"),
        FORM(toll_select, "nx"),
        FORM(toll_select, "xx"),
        FORM(toll_register, "e"),
        FORM(toll_register, "x"),
        FORM(toll_fence, "n"),
        FORM(toll_fence, "x"),
        FORM(toll_watch, "z"),
        FORM(toll_watch, "x"),
        FORM(toll_sum, "xxxxxx"),
        FORM(toll_frame, "b"),
        FORM(toll_frame, "x"),
        FORM(toll_iopl, "n"),
        FORM(toll_iopl, "x"),
        FORM(toll_timer, "w"),
        FORM(toll_timer, "x"),
        FORM(toll_protect, "x"),
        FORM(toll_chain, "eb"),
        FORM(toll_chain, "xx"),
        DEED(latency),
        DEED(latency),
        FORM(toll_clock, "x"),
        FORM(toll_page, "x"),
        FORM(toll_next, "b"),
        FORM(toll_hand, "iz"),
        FORM(toll_hand, "iw"),
        FORM(toll_hand, "xx"),
        FORM(getpid, ""),
        DEED(row),
        DEED(row),
        DEED(quiet),
        DEED(child),
        DEED(grammar_kill),
        DEED(grammar_reap),
};

static const char *const paths[] = {"/"};

static const uintptr_t words[] = {
        0,
        1,
        2,
        (uintptr_t)TOLL_CONTROLS, /* and TOLL_DEFAULT, TOLL_HAND_TAKE, TOLL_TICK */
        (uintptr_t)TOLL_COUNTS,
        (uintptr_t)TOLL_CYCLES,
        TOLL_OF_STRETCH,
        TOLL_OF_STRETCH + TOLL_STRETCH_end,
        TOLL_OF_TRUSTED,
        TOLL_OF_TRUSTED | TOLL_OF_STRETCH,
        18,
        19,
        TIMER_USUAL,
        TIMER_FAST,
        100000,
        100001,
};

static const struct language language = LANGUAGE(forms, paths, words);

/* What a deed has armed is no longer for the next one: it would be the report's way in. */
static unsigned act(struct random *random)
{
        unsigned end = grammar_act(random, &language);
        toll_call(NUMBER_toll_select, TOLL_DEFAULT, 0);
        toll_call(NUMBER_toll_watch, -1);
        toll_call(NUMBER_toll_timer, TIMER_USUAL);
        return end;
}

/* The kernel's checksum is to be the same before and after, and stamps are code. */
static long init(void)
{
        toll_call(NUMBER_toll_fence, 0);
        return grammar_init();
}

static void end(void)
{
        grammar_end();
        toll_call(NUMBER_toll_fence, 0);
}

GRAMMAR_KIND(toll, init, end);
