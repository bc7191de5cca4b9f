/* edit.c - edits the typed line: cursor keys, and earlier lines. Within a row of the terminal: a
 * longer line is edited only at its end. */
#include "keys.h"
#include "sh.h"

#define LINE 1024
#define LINES 32
#define CONTROL(key) ((key)&0x1f)

static char history[LINES][LINE];
static unsigned typed, recalled; /* all lines typed so far; the one shown */
static char line[LINE];
static size_t length, at;

static void go(size_t to)
{
        for (; at > to; at--)
                put(2, "\b", 1);
        put(2, line + at, to - at);
        at = to;
}

/* Prints the text behind the cursor again. */
static void show_rest(void)
{
        size_t here = at;
        go(length);
        put(2, " \b", 2);
        go(here);
}

static void insert(char c)
{
        if (length == LINE - 2) /* room for a newline and the end */
                return;
        memmove(line + at + 1, line + at, length++ - at);
        line[at] = c;
        go(at + 1);
        if (at < length)
                show_rest();
}

/* Erases the character before the cursor. */
static void erase(void)
{
        if (!at)
                return;
        go(at - 1);
        memmove(line + at, line + at + 1, --length - at);
        show_rest();
}

static void recall(unsigned which)
{
        if (which > typed || typed - which > LINES)
                return;
        recalled = which;
        go(length);
        while (length)
                erase();
        for (const char *c = which == typed ? "" : history[which % LINES]; *c; c++)
                insert(*c);
}

/* Whether editing continues. The library's names for ← and → are meant for a menu. */
static bool on_key(int key)
{
        switch (key) {
        case KEY_NONE: /* fall through */
        case '\n': return false;
        case KEY_INTERRUPT: interrupted = true; return false;
        case CONTROL('D'): return length;
        case KEY_UP: recall(recalled - 1); break;
        case KEY_DOWN: recall(recalled + 1); break;
        case KEY_PAGE_DOWN: go(at + (at < length)); break;
        case KEY_PAGE_UP: go(at - (at > 0)); break;
        case CONTROL('A'): /* fall through */
        case KEY_HOME: go(0); break;
        case CONTROL('E'): /* fall through */
        case KEY_END: go(length); break;
        case '\b': /* fall through */
        case 0x7f: erase(); break;
        case CONTROL('U'):
                while (at)
                        erase();
                break;
        case CONTROL('W'):
                for (bool word = false; at && (!word || line[at - 1] != ' ');) {
                        word |= line[at - 1] != ' ';
                        erase();
                }
                break;
        default:
                if (key == '\t' || (key >= ' ' && key <= 0xff))
                        insert((char)key);
        }
        return true;
}

const char *edit_line(const char *prompt)
{
        int key;
        if (!keys_open())
                return NULL;
        put_text(2, prompt);
        length = at = 0;
        recalled = typed;
        while (on_key(key = key_wait(-1)))
                ;
        keys_close();
        if (interrupted)
                put_text(2, "^C");
        if (interrupted || key != '\n')
                return "";
        go(length);
        put(2, "\n", 1);
        line[length] = '\0';
        if (length && (!typed || strcmp(line, history[(typed - 1) % LINES])))
                memcpy(history[typed++ % LINES], line, length + 1);
        memcpy(line + length, "\n", 2);
        return line;
}
