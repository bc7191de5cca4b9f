/* main.c - the headline paths under other conditions: each condition alone, and the worst of each
 * kind together. A row's samples are the path's figures, one for each set of conditions, so its
 * maximum is the worst case found; `condition` names it, and `plain` is the figure without any.
 *
 *   only=pairs/COUNT/SEED   instead, COUNT pairs of conditions that the seed draws: the same seed
 *                           draws the same
 *
 * Each set has a process of its own, which measures all paths that the set affects: so one set's
 * changes do not affect another. */
#include "around.h"
#include "linux.h"
#include "noise.h"
#include "progress.h"
#include "result.h"

#define NONE 0u
#define SETS_MAX 2000

static const char *origin, *only;
static unsigned wanted; /* paths, one bit each */

/* All measurements for the next rows: sets of conditions, and each path's ticks under them. */
static struct taken {
        uint32_t set, concerned; /* paths, one bit each */
        int64_t ticks[PATHS];
} taken[SETS_MAX];
static unsigned sets;
static int64_t plain[PATHS];

static const char *words_of(uint32_t set)
{
        static char words[512];
        size_t used = 0;
        words[0] = 0;
        for (unsigned i = 0; i < condition_count && used < sizeof words; i++)
                if (set >> i & 1)
                        used += (size_t)snprintf(words + used, sizeof words - used, "%s%s",
                                                 used ? ", " : "", condition_words(i));
        return used ? words : "none";
}

static unsigned concerned_by(uint32_t set)
{
        unsigned concerned = wanted;
        for (unsigned i = 0; i < condition_count; i++)
                if (set >> i & 1)
                        concerned &= condition_paths(i);
        return concerned;
}

struct shared *shared;

static _Noreturn void take_paths(const struct taken *of)
{
        if (!conditions_set_up(of->set, false))
                exit_group(1);
        for (unsigned p = 0; p < PATHS; p++)
                if (of->concerned >> p & 1)
                        shared->ticks[p] = path_ticks(&paths[p]);
        conditions_end();
        exit_group(0);
        __builtin_unreachable();
}

static void take_in_process(struct taken *to)
{
        int status = -1;
        memset(shared->ticks, 0xff, sizeof shared->ticks);
        long child = fork();
        if (!child)
                take_paths(to);
        wait4(child, &status, 0, NULL);
        memcpy(to->ticks, shared->ticks, sizeof to->ticks);
        for (unsigned p = 0; p < PATHS; p++)
                if (to->concerned >> p & 1 && (status || to->ticks[p] < 0))
                        check(false, paths[p].name, "it was not taken, or went wrong, under: %s",
                              words_of(to->set));
}

static void say(const struct taken *of)
{
        print("  %s, %s:", origin, words_of(of->set));
        for (unsigned p = 0; p < PATHS; p++)
                if (of->concerned >> p & 1)
                        print(" %s %lld", paths[p].name, (long long)of->ticks[p]);
        print("\n");
}

/* Measures the paths, `among` some, that a set affects. */
static const struct taken *take(uint32_t set, unsigned among)
{
        struct taken *to = &taken[sets++];
        *to = (struct taken){set, concerned_by(set) & among, {0}};
        progress_row(words_of(set));
        take_in_process(to);
        say(to);
        return to;
}

/* Writes a row with all figures of a path. */
static void record(const char *mechanism, enum path_name path)
{
        static struct statistics s;
        static int64_t ticks[SETS_MAX];
        const struct taken *worst = NULL;
        struct json json;
        char id[48];
        unsigned n = 0;
        for (const struct taken *t = taken; t < taken + sets; t++) {
                if (!(t->concerned >> path & 1))
                        continue;
                ticks[n++] = t->ticks[path];
                if (!worst || t->ticks[path] > worst->ticks[path])
                        worst = t;
        }
        if (!n)
                return;
        statistics_of(&s, ticks, n);
        snprintf(id, sizeof id, "%s/%s/%s", origin, mechanism, paths[path].name);
        result_open(&json, "around", id, "around", &s);
        json_number(&json, "plain", plain[path]);
        json_text(&json, "condition", words_of(worst->set));
        result_close(&json, "around", id);
        print("  %-28s %7lld, least %7lld, most %7lld: %s\n", id, (long long)plain[path],
              (long long)s.min, (long long)s.max, words_of(worst->set));
}

static void record_all(const char *mechanism)
{
        for (unsigned p = 0; p < PATHS; p++)
                record(mechanism, p);
        sets = 0;
}

static void take_plain(void)
{
        memcpy(plain, take(NONE, ALL_PATHS)->ticks, sizeof plain);
}

static void take_each_alone(void)
{
        for (unsigned i = 0; i < condition_count; i++)
                if (condition_is_here(i))
                        take(1u << i, ALL_PATHS);
}

/* The worst condition of each kind, if it costs anything by itself. */
static uint32_t worst_of_each_kind(enum path_name path)
{
        uint32_t set = NONE;
        int64_t most[CONDITIONS_MAX] = {0};
        unsigned which[CONDITIONS_MAX];
        for (const struct taken *t = taken + 1; t < taken + sets; t++) {
                unsigned condition = (unsigned)__builtin_ctz(t->set);
                unsigned kind = condition_kind(condition);
                int64_t more = t->ticks[path] - plain[path];
                if (!(t->concerned >> path & 1) || more <= most[kind])
                        continue;
                set &= most[kind] ? ~(1u << which[kind]) : ~0u;
                set |= 1u << condition;
                most[kind] = more;
                which[kind] = condition;
        }
        return set;
}

static void take_together(const uint32_t *worst)
{
        for (unsigned p = 0; p < PATHS; p++)
                if (wanted >> p & 1)
                        take(worst[p], 1u << p);
}

static void take_all(void)
{
        uint32_t worst[PATHS];
        take_plain();
        take_each_alone();
        for (unsigned p = 0; p < PATHS; p++)
                worst[p] = worst_of_each_kind(p);
        record_all("around");
        take_together(worst);
        record_all("together");
}

/* SplitMix64 (S. Vigna), upper half. */
static uint32_t draw(uint64_t *state, uint32_t below)
{
        uint64_t z = *state += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return (uint32_t)(((z ^ z >> 31) >> 32) * below >> 32);
}

static bool can_meet(unsigned one, unsigned other)
{
        return condition_kind(one) != condition_kind(other) && condition_is_here(one) &&
               condition_is_here(other) && concerned_by(1u << one | 1u << other);
}

/* Allocates their memory first: otherwise a fork would copy more and more of it. */
static void take_pairs(unsigned pairs, uint64_t seed)
{
        memset(taken, 1, sizeof *taken * (pairs + 1));
        take_plain();
        while (sets <= pairs) {
                unsigned one = draw(&seed, condition_count), other = draw(&seed, condition_count);
                if (can_meet(one, other))
                        take(1u << one | 1u << other, ALL_PATHS);
        }
        record_all("pairs");
}

static unsigned next_number(const char **text)
{
        unsigned value = 0;
        for (*text += **text == '/'; **text >= '0' && **text <= '9'; ++*text)
                value = value * 10 + (unsigned)(**text - '0');
        return value;
}

static unsigned wanted_paths(void)
{
        unsigned set = 0;
        for (unsigned p = 0; p < PATHS; p++) {
                char id[48];
                snprintf(id, sizeof id, "%s/around/%s", origin, paths[p].name);
                set |= (unsigned)(!only || strstr(id, only)) << p;
        }
        return set;
}

int main(int argc, char **argv, char **environment)
{
        static const char by_seed[] = "pairs";
        if (argc > 1 && !strcmp(argv[1], "partner"))
                partner_run(argv);
        origin = program_origin(argv[0]);
        only = option(argv, "only");
        shared = (struct shared *)mmap(0, sizeof *shared, PROT_READ | PROT_WRITE,
                                       MAP_SHARED | MAP_ANONYMOUS);
        noise_init(argv);
        paths_init(argv, environment);
        if (only && !strncmp(only, by_seed, sizeof by_seed - 1)) {
                const char *text = only + sizeof by_seed - 1;
                unsigned pairs = next_number(&text);
                only = NULL;
                wanted = wanted_paths();
                progress_begin(argv, "around", 1 + pairs);
                take_pairs(pairs < SETS_MAX ? pairs : SETS_MAX - 1, next_number(&text));
        } else if ((wanted = wanted_paths())) {
                progress_begin(argv, "around", 1 + condition_count + PATHS);
                take_all();
        }
        return check_status();
}
