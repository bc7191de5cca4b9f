/* detail.c - the detail pages: all rows of each suite and origin, and the missing ones. */
#include "menu.h"

#define GROUPS 96
#define SUITE 20
#define ORIGIN 20
#define REASON 400 /* characters */
#define HEAD 2     /* lines above the table */

static struct group {
        char suite[SUITE], origin[ORIGIN];
        struct table table;
        unsigned lines; /* excluding the table's heads */
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

static bool belongs(const struct group *group, const char *line, char id[TABLE_CELL])
{
        char origin[ORIGIN];
        if (!record_is(line, "suite", group->suite) || !record_text(line, "id", id, TABLE_CELL))
                return false;
        origin_of(id, origin);
        return !strcmp(origin, group->origin);
}

static void note(const char *line)
{
        struct group group = {.suite = ""};
        char id[TABLE_CELL];
        record_text(line, "suite", group.suite, SUITE);
        record_text(line, "id", id, sizeof id);
        origin_of(id, group.origin);
        for (unsigned i = 0; i < count; i++)
                if (belongs(&groups[i], line, id))
                        return;
        if (count < GROUPS)
                groups[count++] = group;
}

/* The controls are listed after the rows. */
static void note_all(const char *type, bool controls)
{
        for (const char *line = NULL; (line = record_next(line, type));)
                if (record_is(line, "suite", "control") == controls)
                        note(line);
}

static const char *const heads[] = {"row", "label", "n", "min", "median", "p99"};
#define COLUMNS (sizeof heads / sizeof *heads)
#define WORDS 2

static void fill(char cells[COLUMNS][TABLE_CELL], const char *line)
{
        record_text(line, "id", cells[0], TABLE_CELL);
        record_text(line, "label", cells[1], TABLE_CELL);
        for (unsigned i = WORDS; i < COLUMNS; i++)
                snprintf(cells[i], TABLE_CELL, "%lld", (long long)record_number(line, heads[i]));
}

static void fit(struct group *group)
{
        char cells[COLUMNS][TABLE_CELL], id[TABLE_CELL];
        table_begin(&group->table, heads, WORDS, COLUMNS, 2);
        for (const char *line = NULL; (line = record_next(line, "result"));)
                if (belongs(group, line, id)) {
                        fill(cells, line);
                        table_fit(&group->table, cells);
                }
}

/* Whether a line is the first with its reason in this group, and how many have it. */
static bool is_first(const struct group *group, const char *line, unsigned *same)
{
        char reason[REASON], other[REASON], id[TABLE_CELL];
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

/* Lines of a group per page, in whole rows. */
static unsigned room(const struct group *group)
{
        unsigned each = table_lines(&group->table), above = HEAD + each + 1; /* plus the last row */
        return page_rows > above + each ? (page_rows - above) / each * each : each;
}

/* Draws a page of a group, or only counts. Returns its lines on all pages. */
static unsigned draw_group(const struct group *group, unsigned page, bool draws)
{
        unsigned same, most = room(group);
        char cells[COLUMNS][TABLE_CELL], id[TABLE_CELL], reason[REASON];
        lines_begin(page * most, draws ? most : 0);
        for (const char *line = NULL; (line = record_next(line, "result"));)
                if (belongs(group, line, id)) {
                        fill(cells, line);
                        table_row(&group->table, cells);
                }
        for (const char *line = NULL; (line = record_next(line, "skip"));) {
                if (!belongs(group, line, id) || !is_first(group, line, &same))
                        continue;
                record_text(line, "reason", reason, sizeof reason);
                lines_keep(most, 2 + (unsigned)strlen(reason) / (page_columns - 4));
                lines_text(0, "Not here, %u row%s as %s:", same, same == 1 ? "" : "s", id);
                lines_text(4, "%s", reason);
        }
        return lines_count;
}

static unsigned pages_of(const struct group *group)
{
        return (group->lines + room(group) - 1) / room(group);
}

unsigned detail_pages(void)
{
        unsigned pages = 0;
        count = 0;
        note_all("result", false);
        note_all("skip", false);
        note_all("result", true);
        for (unsigned i = 0; i < count; i++) {
                fit(&groups[i]);
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
                lines_begin(0, page_rows);
                table_heads(&groups[i].table);
                draw_group(&groups[i], number, true);
                return;
        }
}
