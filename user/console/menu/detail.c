/* detail.c - the pages of detail: of each suite and origin every row, and what is not here. */
#include "menu.h"

#define GROUPS 96
#define SUITE 20
#define ORIGIN 20
#define HEAD 3 /* lines above the rows */

static struct group {
        char suite[SUITE], origin[ORIGIN];
        unsigned lines;
} groups[GROUPS];
static unsigned count;

/* The first word of an id, or all of it. */
static void origin_of(const char *id, char to[ORIGIN])
{
        size_t size = 0;
        while (id[size] && id[size] != '/' && size + 1 < ORIGIN)
                size++;
        memcpy(to, id, size);
        to[size] = 0;
}

static bool belongs(const struct group *group, const char *line, char id[48])
{
        char origin[ORIGIN];
        if (!record_is(line, "suite", group->suite) || !record_text(line, "id", id, 48))
                return false;
        origin_of(id, origin);
        return !strcmp(origin, group->origin);
}

static void note(const char *line)
{
        struct group group = {.suite = ""};
        char id[48];
        record_text(line, "suite", group.suite, SUITE);
        record_text(line, "id", id, sizeof id);
        origin_of(id, group.origin);
        for (unsigned i = 0; i < count; i++)
                if (belongs(&groups[i], line, id))
                        return;
        if (count < GROUPS)
                groups[count++] = group;
}

/* The controls come behind the rows. */
static void note_all(const char *type, bool controls)
{
        for (const char *line = NULL; (line = record_next(line, type));)
                if (record_is(line, "suite", "control") == controls)
                        note(line);
}

static void draw_result(const char *line, const char *id)
{
        char label[10];
        record_text(line, "label", label, sizeof label);
        page_line("%-36.36s%-7s%6d%10lld%10lld%10lld", id, label, (int)record_number(line, "n"),
                  (long long)record_number(line, "min"), (long long)record_number(line, "median"),
                  (long long)record_number(line, "p99"));
}

/* Of those that have the same reason as `line` in this group: the first, and how many. */
static bool is_first(const struct group *group, const char *line, unsigned *same)
{
        char reason[120], other[120], id[48];
        bool first = true;
        const char *at = NULL;
        *same = 0;
        record_text(line, "reason", reason, sizeof reason);
        while ((at = record_next(at, "skip"))) {
                if (!belongs(group, at, id) || !record_text(at, "reason", other, sizeof other) ||
                    strcmp(reason, other))
                        continue;
                first &= *same || at == line;
                ++*same;
        }
        return first;
}

/* Draws the lines of a group from `from` on, as many as there is room for. How many it has. */
static unsigned draw_group(const struct group *group, unsigned from, bool draws)
{
        unsigned at = 0, same;
        char id[48], reason[120];
        for (const char *line = NULL; (line = record_next(line, "result"));)
                if (belongs(group, line, id) && at++ >= from && draws)
                        draw_result(line, id);
        for (const char *line = NULL; (line = record_next(line, "skip"));) {
                if (!belongs(group, line, id) || !is_first(group, line, &same))
                        continue;
                record_text(line, "reason", reason, sizeof reason);
                if (at++ >= from && draws)
                        page_line("Not here, %u row%s as %s:", same, same == 1 ? "" : "s", id);
                if (at++ >= from && draws)
                        page_line("    %s", reason);
        }
        return at;
}

static unsigned room(void)
{
        return page_rows > HEAD + 2 ? page_rows - HEAD - 1 : 1;
}

static unsigned pages_of(const struct group *group)
{
        return (group->lines + room() - 1) / room();
}

unsigned detail_pages(void)
{
        unsigned pages = 0;
        count = 0;
        note_all("result", false);
        note_all("skip", false);
        note_all("result", true);
        for (unsigned i = 0; i < count; i++) {
                groups[i].lines = draw_group(&groups[i], 0, false);
                pages += pages_of(&groups[i]);
        }
        return pages;
}

void detail_draw(unsigned number)
{
        for (unsigned i = 0; i < count; number -= pages_of(&groups[i++])) {
                if (number >= pages_of(&groups[i]))
                        continue;
                page_title(" %s, %s: in %s%s", groups[i].suite, groups[i].origin, run_unit(),
                           number ? ", continued" : "");
                page_line(" ");
                page_line("%-36s%-7s%6s%10s%10s%10s", "row", "label", "n", "min", "median", "p99");
                draw_group(&groups[i], number * room(), true);
                return;
        }
}
