/* lines.c - text and tables that are complete on any screen: long lines are wrapped. */
#include "menu.h"
#include "lib/printf.h"

#define INDENT 4 /* indentation of wrapped lines */
#define WIDEST 256

unsigned lines_count;
static unsigned first, end;
static char line[WIDEST + 1];
static size_t used; /* characters in it */

void lines_begin(unsigned from, unsigned count)
{
        lines_count = 0;
        first = from;
        end = from + count;
}

static void add(size_t blanks, const char *text, size_t length)
{
        for (size_t i = 0; i < blanks + length && used < WIDEST; i++)
                line[used++] = i < blanks ? ' ' : text[i - blanks];
}

static void end_line(void)
{
        line[used] = 0;
        used = 0;
        if (lines_count >= first && lines_count < end)
                page_line("%s", line);
        lines_count++;
}

void lines_keep(unsigned page, unsigned count)
{
        while (lines_count % page && lines_count % page + count > page)
                end_line();
}

/* Characters of `text` that fit into `room`: up to a blank, if possible. */
static size_t fitting(const char *text, size_t room)
{
        size_t length = strlen(text), break_at = room;
        if (length <= room)
                return length;
        while (break_at && text[break_at] != ' ')
                break_at--;
        return break_at ? break_at : room;
}

void lines_text(unsigned indent, const char *format, ...)
{
        char text[512];
        const char *rest = text;
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        do {
                size_t length = fitting(rest, page_columns - indent);
                add(indent, rest, length);
                end_line();
                for (rest += length; *rest == ' ';)
                        rest++;
                indent = INDENT;
        } while (*rest);
}

void table_begin(struct table *table, const char *const *heads, unsigned words, unsigned columns,
                 unsigned gap)
{
        *table = (struct table){.heads = heads, .words = words, .columns = columns, .gap = gap};
        for (unsigned i = 0; i < columns; i++)
                table->width[i] = (unsigned)strlen(heads[i]);
}

void table_fit(struct table *table, char cells[][TABLE_CELL])
{
        for (unsigned i = 0; i < table->columns; i++)
                if (strlen(cells[i]) > table->width[i])
                        table->width[i] = (unsigned)strlen(cells[i]);
}

/* Start of column `i` behind `before` columns of a line: 0 = in the next line. */
static size_t gap(const struct table *table, unsigned i, size_t before)
{
        return before + table->gap + table->width[i] > page_columns ? 0 : table->gap;
}

unsigned table_lines(const struct table *table)
{
        unsigned lines = 1;
        size_t before = table->width[0];
        for (unsigned i = 1; i < table->columns; i++) {
                size_t blanks = gap(table, i, before);
                lines += !blanks;
                before = (blanks ? before + blanks : INDENT) + table->width[i];
        }
        return lines;
}

static void draw_cell(const struct table *table, unsigned i, const char *text)
{
        size_t length = strlen(text), pad = table->width[i] - length;
        size_t blanks = i ? gap(table, i, used) : 0;
        bool word = i < table->words;
        if (i && !blanks) {
                end_line();
                blanks = INDENT;
        }
        add(word ? blanks : blanks + pad, text, length);
        add(word ? pad : 0, "", 0);
}

void table_heads(const struct table *table)
{
        for (unsigned i = 0; i < table->columns; i++)
                draw_cell(table, i, table->heads[i]);
        end_line();
}

void table_row(const struct table *table, char cells[][TABLE_CELL])
{
        for (unsigned i = 0; i < table->columns; i++)
                draw_cell(table, i, cells[i]);
        end_line();
}

/* Scales to tenths if the whole part is one digit. False = wider than four characters. */
static bool scaled(char to[FIGURE], uint64_t value, char suffix)
{
        uint64_t tenths = value + 50, whole = value + 500;
        divide64(&tenths, 100);
        divide64(&whole, 1000);
        if (tenths < 100)
                snprintf(to, FIGURE, "%u.%u%c", (unsigned)tenths / 10, (unsigned)tenths % 10,
                         suffix);
        else if (whole < 1000)
                snprintf(to, FIGURE, "%u%c", (unsigned)whole, suffix);
        return whole < 1000;
}

void figure_put(char to[FIGURE], size_t width, int64_t value)
{
        uint64_t rest = (uint64_t)value;
        if ((size_t)snprintf(to, FIGURE, "%llu", (unsigned long long)rest) > width)
                for (const char *suffix = "kMGTPE"; !scaled(to, rest, *suffix); suffix++)
                        divide64(&rest, 1000);
}
