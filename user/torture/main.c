/* main.c - the driver of attack and torture: does rows of cases or of random deeds in children, and
 * compares or counts their ends. The same seed repeats the deeds, and the tally of their ends shows
 * how far they reached.
 *
 *   attack                     every case
 *   attack only=TEXT           cases whose name begins so; a full name runs here, without a child
 *   attack only=/N             of a row with more than MANY cases every Nth, all of the others
 *   torture samples=COUNT      of the rows that need not be asked for
 *   torture only=NAME/COUNT/SEED/FIRST/1    a row, from deed FIRST on; told
 *
 * If a file /deeds exists, only the deeds with its numbers are done, one per line.
 *
 * Random deeds run many in each child, which reports each end by a byte through a pipe. If a deed
 * does not return, its child's end is counted, and the next child continues behind it. */
#include "../attack/attack.h"
#include "beside.h"
#include "child.h"
#include "linux.h"
#include "toll.h"
#include "torture.h"

#define MANY 600
#define CHUNK 1000 /* deeds per child: their reports must fit into a pipe */
#define LIMIT 1000 /* milliseconds for all deeds of a child */
#define CASE_LIMIT 20000
#define HANGS 8192 /* deeds, one of which may hang: if data can be executed, it may find a loop */
#define OUTCOMES 256
#define PIPE 63       /* a child's descriptor of the pipe: never a random argument */
#define BROKEN_PIPE 9 /* status of a child that could not report */
#define STEPS 10      /* of progress */

struct tally {
        uint32_t ends[OUTCOMES], deaths[OUTCOMES], hung, mute;
        unsigned right, wrong, not_here; /* cases */
        bool harmed;                     /* those beside */
};
static struct tally tally;
static uint32_t count, first_deed, step = 1;
static uint64_t seed = 1;
static const char *only;
long (*call)(long, ...) = system_call;
char **words;
bool on_tollgate, torture_tells;
uint32_t torture_deed;

static char deeds[8192]; /* "\n12\n17\n"; "" = all */

static void read_deeds(void)
{
        long fd = open("/deeds", O_RDONLY, 0);
        deeds[0] = '\n';
        if (fd < 0 || read((int)fd, deeds + 1, sizeof deeds - 2) <= 0)
                deeds[0] = 0;
        close((int)fd);
}

static bool is_wanted(uint32_t deed)
{
        char line[16];
        snprintf(line, sizeof line, "\n%u\n", deed);
        return !deeds[0] || strstr(deeds, line);
}

static unsigned act(const struct row *row, uint32_t index)
{
        torture_deed = first_deed + index;
        struct random random = random_of(seed, torture_deed);
        if (!is_wanted(torture_deed))
                return 0;
        return row->act(&random) & (OUTCOMES - 1);
}

static _Noreturn void leave(int status)
{
        call(NUMBER_exit_group, status);
        __builtin_unreachable();
}

static _Noreturn void try(const struct attack *attack)
{
        attack->run(attack->argument);
        leave(0);
}

static unsigned parted; /* ways in */

/* Puts the set that parts= names around every way in that has it. Returns how many have. */
static unsigned choose_parts(void)
{
        struct toll_row row;
        unsigned chosen = 0;
        for (long i = 0; on_tollgate && !call(NUMBER_toll_row, i, &row); i++)
                chosen += (strchr(row.id, '@') || strchr(row.id, '+')) &&
                          !call(NUMBER_toll_select, i, FLAVOUR_clean);
        return chosen;
}

static _Noreturn void child(const struct row *row, uint32_t first, uint32_t n)
{
        if (row->at) {
                char name[ATTACK_NAME];
                struct attack attack;
                row->at(first, &attack, name);
                try(&attack);
        }
        if (parted)
                choose_parts();
        if (row->chunk == 1)
                leave((int)act(row, first));
        for (uint32_t i = first; i < first + n; i++) {
                uint8_t end = (uint8_t)act(row, i);
                if (write(PIPE, &end, 1) != 1)
                        leave(BROKEN_PIPE);
        }
        leave(0);
}

/* Counts the reports in the pipe. */
static uint32_t collect(long pipe)
{
        static uint8_t ends[CHUNK];
        uint32_t n = 0;
        long part;
        while ((part = read(pipe, ends, CHUNK)) > 0) {
                for (long i = 0; i < part; i++)
                        tally.ends[ends[i]]++;
                n += (uint32_t)part;
        }
        return n;
}

static void count_death(int status)
{
        if (status == CHILD_HUNG)
                tally.hung++;
        else if (CHILD_SIGNAL(status))
                tally.deaths[CHILD_SIGNAL(status)]++;
        else
                tally.mute++;
}

static void judge(const struct row *row, uint32_t number, int status)
{
        char name[ATTACK_NAME];
        struct attack attack;
        unsigned signal = CHILD_SIGNAL(status), code = CHILD_STATUS(status);
        row->at(number, &attack, name);
        if (status != CHILD_HUNG && !signal && code == CASE_NOT_HERE) {
                tally.not_here++;
        } else if (status != CHILD_HUNG && (signal || !code) && attack.ends & 1u << signal) {
                tally.right++;
        } else {
                tally.wrong++;
                print("  %s: %s, status %u; it may end by mask %lx\n", attack.name,
                      status == CHILD_HUNG ? "hung" : end_name(signal), code,
                      (unsigned long)attack.ends);
        }
}

/* Whether a case is wanted; one that is named in full runs here, and ends this program. */
static bool is_named(const struct row *row, uint32_t number)
{
        char name[ATTACK_NAME];
        struct attack attack;
        row->at(number, &attack, name);
        if (only && !strcmp(attack.name, only))
                try(&attack);
        return (!only || !strncmp(attack.name, only, strlen(only))) &&
               (count <= MANY || number % step == 0);
}

/* Does a case, or at most CHUNK deeds, from `first` on. Returns how many it did, or 0 = no child
 * possible. */
static uint32_t chunk(const struct row *row, uint32_t first)
{
        int ends[2] = {-1, -1}, status = 0;
        unsigned limit = row->limit ? row->limit : row->at ? CASE_LIMIT : LIMIT;
        uint32_t most = row->at ? 1 : row->chunk ? row->chunk : CHUNK, done = 0;
        uint32_t n = count - first < most ? count - first : most;
        if (row->at ? !is_named(row, first) : pipe(ends) != 0)
                return row->at != NULL;
        if (row->beside)
                row->beside(random_of(~seed, first_deed + first));
        long pid = fork();
        if (!pid) {
                if (!row->at) {
                        dup2(ends[1], PIPE);
                        close(ends[0]);
                        close(ends[1]);
                }
                if (row->begin)
                        row->begin();
                child(row, first, n);
        }
        if (pid > 0)
                status = child_wait(pid, limit);
        if (row->at) {
                if (pid > 0)
                        judge(row, first, status);
                return pid > 0;
        }
        close(ends[1]);
        const char *harm = row->harm ? row->harm() : NULL;
        if (harm)
                print("torture: %s, deeds %u to %u: %s\n", row->name, first_deed + first,
                      first_deed + first + n - 1, harm);
        tally.harmed |= harm != NULL;
        if (row->end) /* parallel processes may still have the pipe open */
                row->end();
        if (pid > 0)
                done = collect(ends[0]);
        close(ends[0]);
        if (most == 1 && pid > 0 && status != CHILD_HUNG && !CHILD_SIGNAL(status))
                tally.ends[CHILD_STATUS(status)] += done = 1;
        if (pid > 0 && done < n) {
                count_death(status);
                if (status == CHILD_HUNG && most > 1)
                        print("torture: %s, deed %u hung\n", row->name, first_deed + first + done);
                done++;
        }
        return done;
}

/* The kernel's checksum with fence 0, whichever a deed has chosen; an error if there is none. */
static long checksum(void)
{
        toll_call(NUMBER_toll_fence, 0);
        return system_call(NUMBER_toll_checksum);
}

#define OWN_PAGES 32 /* pages of this program, touched meanwhile */
#define CHECKED 100  /* single deeds between two checks of the kernel */

/* Whether everything that deeds allocated is free again; a loss is printed once. Only valid in the
 * first program, because orphans are given to it. If deeds can harm others, files lose their names,
 * and new names are other objects. */
static bool is_all_back(const struct row *row, struct toll_counts *before, uint32_t from,
                        uint32_t to)
{
        struct toll_counts after = counts_now();
        if (getppid() || !row->end)
                return true;
        if (after.objects != before->objects)
                after = counts_settled();
        int frames = (int)(before->frames + before->heap_frames - after.frames - after.heap_frames);
        int objects = (int)(after.objects - before->objects);
        if (frames <= OWN_PAGES && (objects <= 0 || row->harm))
                return true;
        print("torture: %s, deeds %u to %u: %d frames and %d objects are lost\n", row->name,
              first_deed + from, first_deed + to - 1, frames, objects);
        *before = after;
        return false;
}

/* Whether the kernel is the same as before these deeds; a change is printed once. */
static bool is_same_kernel(const struct row *row, long *before, uint32_t from, uint32_t to)
{
        long after = checksum();
        bool same = after == *before;
        if (!same)
                print("torture: %s, deeds %u to %u: code or tables of the kernel are changed\n",
                      row->name, first_deed + from, first_deed + to - 1);
        *before = after;
        return same;
}

static struct verdict {
        bool whole, same_kernel, same_left;
} run(const struct row *row)
{
        struct verdict verdict = {true, true, true};
        struct toll_counts before = {0};
        long sum = checksum();
        uint32_t done = 0, part = count / STEPS ? count / STEPS : 1, next = part;
        if (row->end && on_tollgate)
                before = counts_settled();
        while (verdict.whole && done < count) {
                uint32_t n = chunk(row, done), from = done;
                verdict.whole = n;
                done += n;
                if (row->at || !n)
                        continue;
                verdict.same_left &= is_all_back(row, &before, from, done);
                if (n > 1 || done % CHECKED == 0 || done == count)
                        verdict.same_kernel &=
                                is_same_kernel(row, &sum, from - from % CHECKED, done);
                for (; done >= next; next += part)
                        print("torture: %s, %u of %u\n", row->name, next, count);
        }
        verdict.same_kernel &= !row->at || checksum() == sum;
        return verdict;
}

static void report_cases(const struct row *row, struct verdict verdict)
{
        if (tally.right + tally.wrong + tally.not_here)
                check(verdict.whole && verdict.same_kernel && !tally.wrong, row->name,
                      "%u cases ended right, %u wrong, %u are not here%s", tally.right, tally.wrong,
                      tally.not_here,
                      verdict.same_kernel ? "" : ", and the kernel has been changed");
}

static unsigned append(char *text, unsigned at, unsigned size, const char *name, uint32_t n)
{
        if (!n || at >= size)
                return at;
        return at + (unsigned)snprintf(text + at, size - at, "%s%s %u", at ? ", " : "", name, n);
}

static void report(const struct row *row, struct verdict verdict)
{
        char text[1200] = "", name[40];
        unsigned length = 0, different = 0;
        for (unsigned i = 0; i < OUTCOMES; i++) {
                snprintf(name, sizeof name, i ? "error %u" : "success", i);
                if (row->outcome_name)
                        row->outcome_name(i, name, sizeof name);
                different += tally.ends[i] != 0;
                length = append(text, length, sizeof text, name, tally.ends[i]);
        }
        for (unsigned i = 0; i < OUTCOMES; i++) {
                snprintf(name, sizeof name, "died of %s", end_name(i));
                length = append(text, length, sizeof text, name, tally.deaths[i]);
        }
        length = append(text, length, sizeof text, "hung", tally.hung);
        length = append(text, length, sizeof text, "went mute", tally.mute);
        print("torture: %s, seed %u: %s\n", row->name, (unsigned)seed, text);
        check(verdict.whole && verdict.same_kernel && verdict.same_left && !tally.harmed &&
                      (tally.hung <= 1 + count / HANGS || row->chunk == 1) &&
                      (different >= row->varied || count < CHUNK),
              row->name, "%u deeds, %u different ends%s%s%s%s", count, different,
              verdict.whole ? "" : ", not all done",
              verdict.same_kernel ? "" : ", and the kernel has been changed",
              verdict.same_left ? "" : ", and memory has been lost",
              tally.harmed ? ", and others have been harmed" : "");
}

static uint32_t number_at(const char **text, uint32_t otherwise)
{
        uint32_t value = 0;
        if (**text != '/')
                return otherwise;
        for (++*text; **text >= '0' && **text <= '9'; ++*text)
                value = value * 10 + (uint32_t)(**text - '0');
        return value;
}

/* Whether a row of deeds is wanted; then reads the numbers behind its name. */
static bool is_chosen(const struct row *row)
{
        const char *word = only;
        size_t length = strlen(row->name);
        if (!word)
                return !row->asked;
        if (strncmp(word, row->name, length))
                return false;
        word += length;
        count = number_at(&word, count);
        seed = number_at(&word, (uint32_t)seed);
        first_deed = number_at(&word, first_deed);
        torture_tells = number_at(&word, torture_tells);
        return true;
}

static void do_row(const struct row *row)
{
        long error = row->init ? row->init() : 0;
        if (error) {
                check(false, row->name, "not begun: this kernel lacks what it needs (error %ld)",
                      -error);
                return;
        }
        if (row->whole && (row->at || row->whole() < count))
                count = row->whole();
        if (!row->at && (parted = choose_parts())) {
                print("torture: %u ways in have parts\n", parted);
                call(NUMBER_toll_select, TOLL_DEFAULT, 0);
                sleep_ms(2); /* until threads change, the kernel's text is another one */
        }
        memset(&tally, 0, sizeof tally);
        (row->at ? report_cases : report)(row, run(row));
}

int main(int argc, char **argv)
{
        bool any = false; /* in ring 0 attack has nothing to do */
        if (argc > 1 && !strcmp(argv[1], "inherited"))
                return 0; /* a case or a deed has started it */
        words = argv;
        beside_begin(argv);
        on_tollgate = system_call(NUMBER_toll_sum) != -ENOSYS;
        if (would_do_harm(on_tollgate))
                return 2;
        if (on_tollgate)
                call = toll_call;
        output_through(call);
        count = option_number(argv, "samples", 10000);
        only = option(argv, "only");
        if (only && *only == '/' && only[1] > '0' && only[1] <= '9' && !only[2])
                step = (unsigned)(only[1] - '0'), only = NULL;
        only = only && *only ? only : NULL;
        read_deeds();
        for (size_t i = 0; all_rows[i]; i++)
                if ((!at_cpl_0() || all_rows[i]->trusted) &&
                    (all_rows[i]->at || is_chosen(all_rows[i]))) {
                        do_row(all_rows[i]);
                        any = true;
                }
        if (any)
                beside_end();
        return check_status();
}
