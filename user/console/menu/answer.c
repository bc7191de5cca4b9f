/* answer.c - the results page: every way into ring 0, by variant. */
#include "menu.h"
#include "lib/printf.h"

#define WAYS 24
#define VARIANTS 4
#define NAME 24
#define ROOMY 30 /* rows: enough for blank lines */

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

/* Whether a row is reported as noisy. */
static bool is_noisy(const char *row)
{
        char id[TABLE_CELL];
        record_text(row, "id", id, sizeof id);
        for (const char *line = NULL; (line = record_next(line, "noisy"));)
                if (record_is(line, "suite", "toll") && record_is(line, "id", id))
                        return true;
        return false;
}

#define PARTS 3 /* parts of a cell: minimum, median, and median in ns */
#define NARROWEST 4
#define MARK '~'

static unsigned width; /* characters of a figure: its digits, or the available room */

static unsigned parts(void)
{
        return run_is_timed() ? PARTS : PARTS - 1;
}

/* False: a negative crossing is not a figure. */
static bool figures(const char *line, int64_t to[PARTS])
{
        to[0] = record_number(line, "min");
        to[1] = record_number(line, "median");
        to[2] = to[1] < 0 ? -1 : run_nanoseconds(to[1]);
        return to[0] >= 0;
}

static unsigned digits(int64_t value)
{
        char text[FIGURE];
        return (unsigned)snprintf(text, sizeof text, "%lld", (long long)value);
}

static size_t longest_name(void)
{
        size_t most = 0;
        for (unsigned i = 0; i < count; i++)
                most = strlen(ways[i].name) > most ? strlen(ways[i].name) : most;
        return most;
}

static void choose_width(void)
{
        int64_t all[PARTS];
        unsigned needed = NARROWEST, each = VARIANTS * parts();
        size_t rest = page_columns - longest_name();
        for (unsigned i = 0; i < count; i++)
                for (unsigned v = 0; v < VARIANTS; v++)
                        for (unsigned p = 0;
                             ways[i].result[v] && figures(ways[i].result[v], all) && p < parts();
                             p++)
                                needed = digits(all[p]) > needed ? digits(all[p]) : needed;
        width = (unsigned)(rest / each) - 1;
        width = width < needed ? width : needed;
        width = width < NARROWEST ? NARROWEST : width;
}

/* Right-aligned words or figures side by side; an uncertain median gets a mark. */
static void put_parts(char to[TABLE_CELL], char texts[PARTS][FIGURE], bool certain)
{
        size_t at = 0;
        for (unsigned p = 0; p < parts(); p++)
                for (size_t i = 0, blanks = (p ? 1 : 0) + width - strlen(texts[p]);
                     i < blanks + strlen(texts[p]); i++)
                        to[at++] = i < blanks ? ' ' : texts[p][i - blanks];
        to[at] = 0;
        if (!certain)
                to[2 * width - strlen(texts[1])] = MARK;
}

static void put_cell(char to[TABLE_CELL], const char *line)
{
        char texts[PARTS][FIGURE];
        int64_t all[PARTS];
        if (!line || !figures(line, all)) {
                snprintf(to, TABLE_CELL, line ? "noisy" : "-");
                return;
        }
        for (unsigned p = 0; p < parts(); p++)
                figure_put(texts[p], width, all[p]);
        put_parts(to, texts, !is_noisy(line));
}

static void fill(const struct way *way, char cells[1 + VARIANTS][TABLE_CELL])
{
        snprintf(cells[0], TABLE_CELL, "%s", way->name);
        for (unsigned v = 0; v < VARIANTS; v++)
                put_cell(cells[1 + v], way->result[v]);
}

static void draw_ways(void)
{
        static const char *const heads[] = {"way in", "standard", "nowork", "service", "bare"};
        char cells[1 + VARIANTS][TABLE_CELL], below[PARTS][FIGURE] = {"min", "med", "ns"};
        struct table table;
        choose_width();
        table_begin(&table, heads, 1, 1 + VARIANTS, 1);
        for (unsigned i = 0; i < count; i++) {
                fill(&ways[i], cells);
                table_fit(&table, cells);
        }
        cells[0][0] = 0;
        for (unsigned v = 0; v < VARIANTS; v++)
                put_parts(cells[1 + v], below, true);
        table_fit(&table, cells);
        table_heads(&table);
        table_row(&table, cells);
        for (unsigned i = 0; i < count; i++) {
                fill(&ways[i], cells);
                table_row(&table, cells);
        }
}

/* Whether a `noisy` record is about a row in the table. There a mark says so. */
static bool is_in_table(const char *line)
{
        return record_is(line, "type", "noisy") && record_is(line, "suite", "toll");
}

/* Lists the names in records of a type, with commas, except for rows in the table. */
static void names(char *to, size_t size, const char *type, const char *key, bool failed)
{
        unsigned left_out = 0;
        size_t length = 0;
        to[0] = 0;
        for (const char *line = NULL; (line = record_next(line, type));) {
                char name[48];
                if ((failed && record_flag(line, "ok")) || is_in_table(line))
                        continue;
                if (!record_text(line, key, name, sizeof name) || strstr(to, name))
                        continue;
                if (length + sizeof name + FIGURE < size)
                        length += (size_t)snprintf(to + length, size - length, "%s%s",
                                                   length ? ", " : "", name);
                else
                        left_out++;
        }
        if (left_out)
                snprintf(to + length, size - length, " and %u more", left_out);
}

/* The median of a mechanism's standard row, in ns if available; -1 = none is certain. */
static int64_t standard_of(const char *name)
{
        for (unsigned i = 0; i < count; i++) {
                int64_t all[PARTS];
                const char *row = ways[i].result[0];
                if (row && !strcmp(ways[i].name, name) && figures(row, all) && !is_noisy(row))
                        return all[run_is_timed() ? 2 : 1];
        }
        return -1;
}

static void draw_sentence(void)
{
        static const struct {
                const char *name, *word;
        } fast[] = {{"user/syscall", "SYSCALL"}, {"user/sysenter", "SYSENTER"}};
        const char *unit = run_is_timed() ? "ns" : run_unit(), *word = NULL;
        int64_t least = -1, most = standard_of("user/int"), inside = standard_of("trusted/call");
        char inner[80] = ".";
        for (size_t i = 0; least < 0 && i < sizeof fast / sizeof *fast; i++) {
                least = standard_of(fast[i].name);
                word = fast[i].word;
        }
        if (inside >= 0)
                snprintf(inner, sizeof inner, "; a call within ring 0 takes %lld.",
                         (long long)inside);
        if (most < 0 && least < 0)
                return;
        if (most < 0 || least < 0) {
                lines_text(0, "A system call takes %lld %s by %s%s",
                           (long long)(least < 0 ? most : least), unit,
                           least < 0 ? "INT 80h" : word, inner);
                return;
        }
        uint64_t tenths = (uint64_t)most * 10 + (uint64_t)least / 2;
        divide64(&tenths, least ? (uint32_t)least : 1);
        uint32_t tenth = divide64(&tenths, 10);
        lines_text(0, "A system call takes %lld %s by %s, %lld by INT 80h, %u.%u times as %s%s",
                   (long long)least, unit, word, (long long)most, (unsigned)tenths, (unsigned)tenth,
                   run_is_timed() ? "long" : "many", inner);
}

/* Explains the table's columns: one line each, or the last two on one line if room is short. */
static void draw_variants(void)
{
        static const char *const means[VARIANTS] = {
                "registers kept, number looked up, a look for signals and rescheduling",
                "the same without that look",
                "straight to the service routine: only what must be kept is kept",
                "the instruction and its return: nothing between them"};
        bool each = page_left() >= VARIANTS;
        for (unsigned v = 0; v < (each ? VARIANTS : VARIANTS / 2); v++)
                if (page_left())
                        lines_text(0, "%-9s %s", variants[v], means[v]);
        if (!each && page_left())
                lines_text(0,
                           "service   straight to the service routine; bare: the instruction and "
                           "its return");
}

/* The number of rows in the table that have a mark. */
static unsigned marked(void)
{
        unsigned rows = 0;
        for (unsigned i = 0; i < count * VARIANTS; i++)
                rows += ways[i / VARIANTS].result[i % VARIANTS] &&
                        is_noisy(ways[i / VARIANTS].result[i % VARIANTS]);
        return rows;
}

static void draw_verdict(const char *verdict)
{
        char what[600], rows[80];
        snprintf(rows, sizeof rows, "%u of the table, each with a %c", marked(), MARK);
        const char *end = record_next(NULL, "end");
        if (!record_flag(record_next(NULL, "run"), "readable")) {
                lines_text(0,
                           "Verdict: %s. The time-stamp counter does not go on within a loop: "
                           "nothing can be measured by it, and no suite starts.",
                           verdict);
        } else if (end && record_number(end, "unquiet") > 0) {
                lines_text(0,
                           "Verdict: %s. A program was quiet for too long: the run is unreadable.",
                           verdict);
        } else if (!strcmp(verdict, "passed")) {
                lines_text(0, "Verdict: passed. Every control held, and every check.");
                if (marked() && page_left())
                        lines_text(0, "Shorter than a stamp, so not certain: %s.", rows);
        } else if (!strcmp(verdict, "noisy")) {
                names(what, sizeof what, "noisy", "id", false);
                lines_text(0, "Verdict: noisy. Not certain: %s%s%s.", rows, what[0] ? "; " : "",
                           what);
        } else {
                names(what, sizeof what, "check", "name", true);
                lines_text(0, "Verdict: failed, so no figure is to be believed. What failed: %s.",
                           what[0] ? what : "a program has ended badly");
        }
}

static void draw_skips(void)
{
        char reason[400], said[400] = "";
        for (const char *line = NULL; page_left() > 1 && (line = record_next(line, "skip"));) {
                if (!record_is(line, "suite", "toll") ||
                    !record_text(line, "reason", reason, sizeof reason) || !strcmp(reason, said))
                        continue;
                memcpy(said, reason, sizeof said);
                lines_text(0, "Not here: %s", reason);
        }
}

static void draw_blank(void)
{
        if (page_rows > ROOMY)
                page_line(" ");
}

void answer_draw(const char *verdict, bool photo)
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
        lines_begin(0, page_rows);
        page_title(" Tollgate %s, %s: what it costs to cross into ring 0, there and back", version,
                   arch);
        lines_text(0, "%s%s%s", brand[0] ? brand : "unnamed processor",
                   hypervisor[0] ? ", under the hypervisor " : "", hypervisor);
        if (run_is_timed())
                lines_text(0, "Minimum and median in %s, the median in ns (TSC at %u MHz)",
                           run_unit(), (unsigned)run_megahertz());
        else if (!strcmp(run_unit(), "instructions"))
                lines_text(0, "Minimum and median in %s: the path, and no time", run_unit());
        else
                lines_text(0, "Minimum and median in %s; no rate is certain, so none in ns",
                           run_unit());
        draw_blank();
        draw_sentence();
        draw_blank();
        if (count)
                draw_ways();
        else
                lines_text(0, "This run has not measured the toll%s",
                           heard ? ": press r to choose another one." : ".");
        draw_blank();
        draw_verdict(verdict);
        draw_blank();
        if (count)
                draw_variants();
        draw_skips();
        draw_blank();
        if (count && photo)
                lines_text(0, "One photo of this page has all records of the toll: tollgate scan "
                              "PHOTO.");
}
