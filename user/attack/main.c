/*
 * main.c - attacks the kernel from ring 3, one process for each case, and compares the ends.
 *
 *   attack            every case
 *   attack only=TEXT  cases whose name begins so; a full name runs here, without a child
 *   attack only=/N    of a subject with more than MANY cases every Nth, all of the others
 *   attack list=1     their names
 */
#include "attack.h"
#include "beside.h"
#include "child.h"
#include "toll.h"

#define LIMIT 20000 /* milliseconds for one case */
#define MANY 600

enum {
        STATUS_RIGHT,
        STATUS_WRONG = 90,
        STATUS_NOT_HERE
};

static const struct subject *const subjects[] = {
#define SUBJECT_ENTRY(name) &name##_subject,
        SUBJECTS(SUBJECT_ENTRY)
#undef SUBJECT_ENTRY
};
#define SUBJECT_COUNT (sizeof subjects / sizeof *subjects)

static const char *only, *path;
static unsigned step = 1;
static uintptr_t given = (uintptr_t)-PAGE;

long (*call)(long, ...) = system_call;
static bool tollgate;

bool on_tollgate(void)
{
        return tollgate;
}

const char *program_path(void)
{
        return path;
}

uintptr_t address_given(void)
{
        return given;
}

static _Noreturn void leave(int status)
{
        call(NUMBER_exit_group, status);
        __builtin_unreachable();
}

void wrong(const char *format, ...)
{
        char text[160];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        print("  wrong: %s\n", text);
        leave(STATUS_WRONG);
}

void not_here(void)
{
        leave(STATUS_NOT_HERE);
}

static _Noreturn void run(const struct attack *attack)
{
        attack->run(attack->argument);
        leave(STATUS_RIGHT);
}

/* The kernel's checksum of everything that must not change, if it has one. */
static long checksum(void)
{
        return call(NUMBER_toll_checksum);
}

/* Counts one subject's cases. */
struct tally {
        unsigned right, wrong, not_here;
};

static void judge(struct tally *tally, const struct attack *attack, int status)
{
        unsigned signal = CHILD_SIGNAL(status), code = CHILD_STATUS(status);
        if (status != CHILD_HUNG && !signal && code == STATUS_NOT_HERE) {
                tally->not_here++;
        } else if (status != CHILD_HUNG && (signal || !code) && attack->ends & 1u << signal) {
                tally->right++;
        } else {
                tally->wrong++;
                print("  %s: %s, status %u; it may end by mask %lx\n", attack->name,
                      status == CHILD_HUNG ? "hung" : end_name(signal), code,
                      (unsigned long)attack->ends);
        }
}

static void try(struct tally *tally, const struct attack *attack)
{
        long child = call(NUMBER_fork);
        if (!child)
                run(attack);
        if (child < 0) {
                print("  %s: no process for it (error %ld)\n", attack->name, -child);
                tally->wrong++;
        } else {
                judge(tally, attack, child_wait(child, LIMIT));
        }
}

static bool wanted(const struct attack *attack)
{
        return !only || !*only || !strncmp(attack->name, only, strlen(only));
}

/* Calls `what` for every wanted case. Returns their number. */
static unsigned each(const struct subject *subject, struct tally *tally,
                     void (*what)(struct tally *, const struct attack *))
{
        char name[ATTACK_NAME];
        unsigned n = 0, count = subject->count(), by = count > MANY ? step : 1;
        for (unsigned i = 0; i < count; i += by) {
                struct attack attack;
                subject->at(i, &attack, name);
                if (!wanted(&attack))
                        continue;
                n++;
                what(tally, &attack);
        }
        return n;
}

static void name_it(struct tally *tally, const struct attack *attack)
{
        (void)tally;
        print("%s\n", attack->name);
}

/* A case given by its full name runs without a child, and ends this program. */
static void run_here(struct tally *tally, const struct attack *attack)
{
        (void)tally;
        if (only && !strcmp(attack->name, only))
                run(attack);
}

int main(int argc, char **argv)
{
        struct toll_counts counts;
        beside_begin(argv);
        if (at_cpl_0()) {
                print("attack: at CPL 0 there is nothing to attack\n");
                return 0;
        }
        path = argv[0];
        if (argc > 1 && !strcmp(argv[1], "end")) /* races.c */
                return 0;
        only = option(argv, "only");
        if (only && *only == '/' && only[1] > '0' && only[1] <= '9' && !only[2])
                step = (unsigned)(only[1] - '0'), only = NULL;
        for (const char *c = option(argv, "at"); c && *c >= '0' && *c <= '9'; c++)
                given = (c[-1] == '=' ? 0 : given * 10) + (uintptr_t)(*c - '0');
        tollgate = !system_call(NUMBER_toll_row, TOLL_COUNTS, &counts);
        if (tollgate)
                call = toll_call;
        output_through(call);
        bool list = option_number(argv, "list", 0);
        if (!list && would_do_harm(tollgate))
                return 2;
        for (size_t i = 0; !list && i < SUBJECT_COUNT; i++)
                each(subjects[i], NULL, run_here);
        if (!list && !kernel_can_fork()) {
                print("attack: this kernel has no fork: name one case by only=\n");
                return 2;
        }
        for (size_t i = 0; i < SUBJECT_COUNT; i++) {
                struct tally tally = {0};
                long before = checksum();
                unsigned n = each(subjects[i], &tally, list ? name_it : try);
                if (!n || list)
                        continue;
                bool changed = checksum() != before;
                check(!tally.wrong && !changed, subjects[i]->name,
                      "%u cases ended right, %u wrong, %u are not here%s", tally.right, tally.wrong,
                      tally.not_here, changed ? ", and the kernel has been changed" : "");
        }
        beside_end();
        return check_status();
}
