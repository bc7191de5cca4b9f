/* answer.c - one page that answers: every way into ring 0, by variant. */
#include "menu.h"

#define WAYS 24
#define VARIANTS 4
#define NAME 24

static const char *const variants[VARIANTS] = {"standard", "nowork", "service", "bare"};

static struct way {
        char name[NAME]; /* origin/mechanism */
        const char *result[VARIANTS];
} ways[WAYS];
static unsigned count;

static void note(const char *line)
{
        char id[48];
        if (!record_is(line, "suite", "toll") || !record_text(line, "id", id, sizeof id))
                return;
        size_t size = 0;
        for (size_t i = 0; id[i]; i++)
                if (id[i] == '/')
                        size = i;
        if (!size || size >= NAME)
                return;
        unsigned at = 0;
        while (at < count && (strncmp(ways[at].name, id, size) || ways[at].name[size]))
                at++;
        if (at == WAYS)
                return;
        if (at == count)
                memcpy(ways[count++].name, id, size);
        for (unsigned v = 0; v < VARIANTS; v++)
                if (!strcmp(id + size + 1, variants[v]))
                        ways[at].result[v] = line;
}

static void collect(void)
{
        memset(ways, 0, sizeof ways);
        count = 0;
        for (const char *line = NULL; (line = record_next(line, "result"));)
                note(line);
}

/* So wide, with a blank in front: in thousands where it must. */
static void put_figure(char to[12], int width, int64_t value)
{
        char text[24];
        int64_t most = 10, least = -1;
        for (int i = 2; i < width; i++, most *= 10)
                least *= 10;
        uint64_t thousands = (uint64_t)(value < 0 ? 0 : value);
        divide64(&thousands, 1000);
        int length = value < most && value > least
                             ? snprintf(text, sizeof text, "%lld", (long long)value)
                             : snprintf(text, sizeof text, "%uk", (unsigned)thousands);
        for (int i = 0; i < width; i++)
                to[i] = i < width - length ? ' ' : text[i - (width - length)];
        to[width] = 0;
}

static void put_cell(char to[16], const char *line, bool timed)
{
        char least[12], middle[12], time[12] = "";
        if (!line) {
                snprintf(to, 16, "-");
                return;
        }
        int64_t median = record_number(line, "median");
        put_figure(least, timed ? 5 : 7, record_number(line, "min"));
        put_figure(middle, timed ? 5 : 7, median);
        if (timed)
                put_figure(time, 5, run_nanoseconds(median));
        snprintf(to, 16, "%s%s%s", least, middle, time);
}

static void draw_ways(void)
{
        bool timed = run_is_timed();
        page_line("%-18s%15s%15s%15s%15s", "way in", variants[0], variants[1], variants[2],
                  variants[3]);
        const char *heading = timed ? "min  med   ns" : "min    med";
        page_line("%-18s%15s%15s%15s%15s", "", heading, heading, heading, heading);
        for (unsigned i = 0; i < count; i++) {
                char cell[VARIANTS][16];
                for (unsigned v = 0; v < VARIANTS; v++)
                        put_cell(cell[v], ways[i].result[v], timed);
                page_line("%-18s%15s%15s%15s%15s", ways[i].name, cell[0], cell[1], cell[2],
                          cell[3]);
        }
}

/* Up to four of what a kind of record names, with commas. */
static void names(char *to, size_t size, const char *type, const char *key, bool failed)
{
        unsigned found = 0;
        size_t length = 0;
        to[0] = 0;
        for (const char *line = NULL; (line = record_next(line, type));) {
                char name[48];
                if (failed && record_flag(line, "ok"))
                        continue;
                if (!record_text(line, key, name, sizeof name) || strstr(to, name))
                        continue;
                if (found++ < 2)
                        length += (size_t)snprintf(to + length, size - length, "%s%s",
                                                   length ? ", " : "", name);
        }
        if (found > 2)
                snprintf(to + length, size - length, " and %u more", found - 2);
}

static void draw_verdict(const char *verdict)
{
        char what[128];
        if (!strcmp(verdict, "passed")) {
                page_line("Verdict: passed. Every control held, and every check.");
        } else if (!strcmp(verdict, "noisy")) {
                names(what, sizeof what, "noisy", "id", false);
                page_line("Verdict: noisy. Not certain: %s.", what);
        } else {
                names(what, sizeof what, "check", "name", true);
                page_line("Verdict: failed. A contract is broken: %s.",
                          what[0] ? what : "a program has ended badly");
        }
}

static void draw_skips(void)
{
        char reason[120], said[120] = "";
        for (const char *line = NULL; page_left() > 1 && (line = record_next(line, "skip"));) {
                if (!record_is(line, "suite", "toll") ||
                    !record_text(line, "reason", reason, sizeof reason) || !strcmp(reason, said))
                        continue;
                memcpy(said, reason, sizeof said);
                page_line("Not here: %s", reason);
        }
}

void answer_draw(const char *verdict)
{
        const char *run = record_next(NULL, "run");
        char version[24], arch[8], brand[52] = "", hypervisor[16];
        if (!run)
                return;
        record_text(run, "version", version, sizeof version);
        record_text(run, "arch", arch, sizeof arch);
        if (record_inner(run, "cpu"))
                record_text(record_inner(run, "cpu"), "brand", brand, sizeof brand);
        record_text(run, "hypervisor", hypervisor, sizeof hypervisor);
        collect();
        page_title(" Tollgate %s, %s: what it costs to cross into ring 0, there and back", version,
                   arch);
        page_line("%s%s%s", brand[0] ? brand : "unnamed processor",
                  hypervisor[0] ? ", under the hypervisor " : "", hypervisor);
        if (run_is_timed())
                page_line("Minimum and median in %s, the median in ns (TSC at %u MHz)", run_unit(),
                          (unsigned)run_megahertz());
        else
                page_line("Minimum and median in %s: the path, and no time", run_unit());
        page_line(" ");
        if (count)
                draw_ways();
        else
                page_line("This run has not measured the toll: press r to choose another one.");
        page_line(" ");
        draw_verdict(verdict);
        draw_skips();
}
