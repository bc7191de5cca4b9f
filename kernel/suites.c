/* suites.c - a run: its records, its programs, and its end. */
#include "suites.h"
#include "clock/clock.h"
#include "clock/rate.h"
#include "config.h"
#include "cpu/alternatives.h"
#include "toll/cycle.h"
#include "toll/record.h"
#include "machine/console.h"
#include "dev/keyboard.h"
#include "dev/screen.h"
#include "dev/state.h"
#include "dev/watch.h"
#include "machine/serial.h"
#include "file/path.h"
#include "lib/json.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "process/missing.h"
#include "program/run.h"
#include "toll.h"
#include "trap/dispatch.h"
#include "dev/power.h"

#define RECORD                                                                                     \
        65536 /* the run record of a full, escaped line; the end record of all Linux's calls */

static const struct boot_info *boot;
static const struct counter *counter;
static enum fence fence;
static unsigned programs, program; /* programs of this run, and the current one's number */
static unsigned began;             /* seconds since the boot */
static unsigned failed, noisy;     /* programs */
static unsigned refused;           /* suites that did not start for lack of a counter */
static char initrd_sha256[64 + 1]; /* made by tools/initrd.sh; "": unknown */

/* The bound that toll.h promises of toll_quiet(), in counts of the TSC; below 0 where its rate is
 * not known. */
static int64_t quiet_bound(const struct rate *rate)
{
        if (!watch_works)
                return 0;
        return rate->doubt || !rate->hertz ? -1 : (int64_t)rate->hertz * WATCH_SECONDS;
}

static void say_run(void)
{
        const struct rate *rate = clock_rate();
        const struct run_record run = {
                .boot = boot,
                .counter = counter,
                .fence = fence_names[fence],
                .platform = config.platform,
                .model = config.model,
                .emulator = config.emulator,
                .line = boot->line,
                .initrd = initrd_sha256,
                .rate_by = rate->by,
                .nominal = rate->nominal,
                .base = rate->base,
                .apic = rate->apic,
                .rtc = rate->rtc,
                .window = rate->window,
                .windows = rate->windows,
                .quiet = quiet_bound(rate),
                .state = state_record,
        };
        record_run(&run);
}

static void record_end(void)
{
        static char line[RECORD];
        struct json json;
        json_open(&json, line, sizeof line, "end");
        json_number(&json, "records", console_records);
        json_number(&json, "failed", failed);
        if (cycle_smis() >= 0)
                json_number(&json, "smis", cycle_smis());
        if (watch_ended)
                json_number(&json, "unquiet", watch_ended);
        missing_record(&json);
        json_record(&json);
        console_record(line, strlen(line));
}

/* A suite is a program in any of these directories, each for another origin. */
static const char *const directories[] = {"/bin/", "/compat/", "/trusted/"};

static bool is_there(const char *path)
{
        int error;
        struct node *node = path_find(path, NULL, &error);
        node_release(node);
        return node;
}

/* Calls `act` for every program of this name. Returns their number. */
static unsigned for_each_origin(const char *name, size_t length, void (*act)(char *path))
{
        unsigned found = 0;
        for (size_t i = 0; i < length; i++)
                if (name[i] == '/')
                        return 0; /* a path is not a name */
        for (size_t i = 0; i < sizeof directories / sizeof *directories; i++) {
                char path[CONFIG_TEXT + 16];
                snprintf(path, sizeof path, "%s%.*s", directories[i], (int)length, name);
                if (strchr(path + strlen(directories[i]), '/') || !is_there(path))
                        continue;
                found++;
                act(path);
        }
        return found;
}

static void count_program(char *path)
{
        programs++;
}

/* Starts a program with its arguments: three for its line of progress, one the offset of a
 * sample. */
static void run_program(char *path)
{
        static char words[8][CONFIG_TEXT + 16];
        char *arguments[] = {path,     words[0], words[1], words[2], words[3],
                             words[4], words[5], words[6], words[7], NULL};
        snprintf(words[0], sizeof words[0], "samples=%s", config.samples);
        snprintf(words[1], sizeof words[1], "only=%s", config.only);
        snprintf(words[2], sizeof words[2], "exact=%d", counter->exact);
        snprintf(words[3], sizeof words[3], "program=%u", ++program);
        snprintf(words[4], sizeof words[4], "programs=%u", programs);
        snprintf(words[5], sizeof words[5], "began=%u", began);
        snprintf(words[6], sizeof words[6], "offset=%u", counter->offset);
        snprintf(words[7], sizeof words[7], "beside=%s", config.beside);
        int status = process_run(path, arguments);
        if (status == TOLL_NOISY) {
                noisy++;
        } else if (status) {
                failed++;
                say("%s: failed, status %d\n", path, status);
        }
}

/* False without a readable counter, except for a shell, which measures nothing. */
static bool may_start(const char *name, size_t length, bool complains)
{
        static const char *const shells[] = {"sh", "init"};
        for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
                if (length == strlen(shells[i]) && !strncmp(name, shells[i], length))
                        return true;
        if (counter->readable || !complains)
                return counter->readable;
        if (!refused++) {
                failed++;
                say("tollgate: the time-stamp counter does not go on within a loop of thousands of "
                    "instructions: nothing can be measured by it, and no suite starts\n");
        }
        return false;
}

/* Calls `act` for every program of suite=. Returns the number of suites named. */
static unsigned for_each_suite(void (*act)(char *path), bool complains)
{
        unsigned suites = 0;
        for (const char *name = config.suite; *name;) {
                const char *comma = strchr(name, ',');
                size_t length = comma ? (size_t)(comma - name) : strlen(name);
                suites += length != 0;
                if (length && may_start(name, length, complains) &&
                    !for_each_origin(name, length, act) && complains) {
                        failed++;
                        say("tollgate: there is no suite `%.*s` in the initrd\n", (int)length,
                            name);
                }
                name += length + (comma != NULL);
        }
        return suites;
}

/* The rate is uncertain. Figures in cycles need no rate; figures in ns could be wrong, so there are
 * none. */
static void record_doubt(const char *why)
{
        static char line[RECORD];
        struct json json;
        say("noisy: the rate: %s; no time is given in ns\n", why);
        json_open(&json, line, sizeof line, "noisy");
        json_text(&json, "suite", "clock");
        json_text(&json, "id", "rate");
        json_text(&json, "reason", why);
        if (json_record(&json))
                console_record(line, strlen(line));
        noisy++;
}

/* Only for a reader of the serial line: neither shown on the screen nor kept. */
static void say_nmis(void)
{
        char line[40];
        int length = snprintf(line, sizeof line, "%u NMIs were taken.\n", trap_nmis);
        console_again("", 0); /* on a line of its own */
        console_again(line, (size_t)length);
}

/* A program that was quiet for too long did not finish its measurement. */
static void say_unquiet(void)
{
        failed++;
        say("tollgate: %u program%s quiet for %u seconds and then no longer: the run is "
            "unreadable\n",
            watch_ended, watch_ended == 1 ? " was" : "s were", WATCH_SECONDS);
}

static void run_suites(void)
{
        if (clock_rate()->doubt)
                record_doubt(clock_rate()->doubt);
        began = (unsigned)moment_seconds(clock_now());
        for_each_suite(count_program, false);
        if (!for_each_suite(run_program, true)) {
                failed++;
                say("tollgate: suite= names no program\n");
        }
        if (watch_ended)
                say_unquiet();
        if (trap_nmis)
                say_nmis();
}

static const char *verdict(void)
{
        return failed ? "failed" : noisy ? "noisy" : "passed";
}

/* Asks a person, and does not return after a choice. */
static void ask_person(void)
{
        char path[] = "/bin/menu", said[CONFIG_TEXT];
        char keys[] = "keys=none", *arguments[] = {path, said, keys, NULL};
        if (keyboard_answers)
                arguments[2] = NULL;
        snprintf(said, sizeof said, "verdict=%s", verdict());
        int status = process_run(path, arguments);
        say("%s: ended, status %d: switch the machine off\n", path, status);
}

/* Called before a program can change the tree. */
static void read_initrd_sha256(void)
{
        int error;
        struct node *node = path_find("/sha256", NULL, &error);
        if (node && node->kind->read)
                node->kind->read(node, 0, initrd_sha256, sizeof initrd_sha256 - 1);
        node_release(node);
}

_Noreturn void suites_run(const struct boot_info *information, const struct counter *counts,
                          enum fence chosen)
{
        boot = information;
        counter = counts;
        fence = chosen;
        read_initrd_sha256();
        say_run();
        run_suites();
        screen_release();
        record_end();
        if (serial_lost)
                say("COM1 has not taken %lu bytes: what came there is not whole.\n", serial_lost);
        say("tollgate: %s%s\n", verdict(),
            !failed && noisy ? ": what moved is named above, and no figure beside it is certain"
                             : "");
        if (!strcmp(config.then, "reset"))
                reset();
        if (!strcmp(config.then, "menu"))
                ask_person();
        quit(failed ? QUIT_FAIL : noisy ? QUIT_NOISY : QUIT_PASS);
}
