/* main.c - the records of this run as QR codes on the screen, for a machine without a serial line.
 *
 *      codes [seconds=N] [alone=N] [beside=N] [blank=N] [toll=N] [FILE]
 *
 * Shows one after the other, each for N seconds (12) or until a key is pressed; seconds=0 shows
 * each once, without waiting. FILE contains records as on the serial line; the default is
 * /dev/records. alone=N: shows a single code, the Nth, automatically. The status says whether it
 * was the last code, or a key was pressed; after the first round nothing is printed on the serial
 * line. beside=N: shows only the toll's codes, all at once, right of the first N columns, where
 * they stay; the status is 1 if there is no room. blank=N makes that part dark again. toll=N: the
 * same on the whole screen, for N seconds. */
#include "code.h"
#include "console.h"
#include "keys.h"
#include "lib/crc32.h"
#include "pack.h"
#include "page.h"
#include "screen.h"
#include "status.h"

#define RECORDS "/dev/records"
#define BLOCK 4096

static struct pack pack;
static unsigned records;
static const char *wrong;
static bool toll_alone, has_toll;

static int hex_digit(char c)
{
        return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A line `@{...} *crc`; other lines are for people. */
static void take_line(const char *line, size_t length)
{
        uint32_t said = 0;
        if (length < 12 || line[0] != '@' || line[1] != '{')
                return;
        size_t json = length - 11; /* without @ and ` *crc` */
        bool good = line[json + 1] == ' ' && line[json + 2] == '*';
        for (size_t i = length - 8; i < length; i++) {
                int digit = hex_digit(line[i]);
                good &= digit >= 0;
                said = said << 4 | (uint32_t)(digit & 15);
        }
        if (!good || crc32(line + 1, json) != said)
                wrong = "a record is damaged";
        else if (toll_alone && !pack_is_toll(line + 1))
                return;
        else if (!pack_record(&pack, line + 1, json))
                wrong = "the records are more than codes hold: run fewer suites at a time";
        else
                records++;
        has_toll |= pack_is_row(line + 1);
}

static long take_all(int descriptor)
{
        static char line[PACK_LINE + 16], block[BLOCK];
        size_t length = 0;
        long got;
        while ((got = read(descriptor, block, sizeof block)) > 0)
                for (long i = 0; i < got; i++)
                        if (block[i] == '\n') {
                                take_line(line, length);
                                length = 0;
                        } else if (length < sizeof line) {
                                line[length++] = block[i];
                        }
        return got;
}

static unsigned milliseconds(void)
{
        struct timespec now = {0};
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (unsigned)now.seconds * 1000 + (unsigned)now.nanoseconds / 1000000;
}

enum { NEXT, BACK, QUIT };

static unsigned alone; /* 0: a person requested the codes */
static int pressed;    /* KEY_NONE, or the last key */

/* A menu key ends codes that are shown automatically: the menu then handles the key. */
static bool is_the_menus(int key)
{
        return key > ' ' && key < CODES_KEYS && key != 'b' && key != 'q';
}

static int status_of(int key)
{
        return is_the_menus(key) ? key : key == KEY_NONE ? 0 : CODES_PRESSED;
}

static int choice(int milliseconds)
{
        int key = key_wait(milliseconds);
        if (key != KEY_NONE)
                pressed = key;
        if (alone && is_the_menus(key))
                return QUIT;
        switch (key) {
        case 'q':
        case KEY_INTERRUPT:
        case KEY_OTHER: return QUIT; /* Escape */
        case 'b':
        case KEY_UP:
        case KEY_PAGE_UP: return BACK;
        default: return NEXT;
        }
}

/* Prints in the last row. */
static void say(unsigned number, unsigned count)
{
        char text[100];
        snprintf(text, sizeof text, "code %u of %u: take a photo of each.%s", number, count,
                 alone && !pressed ? "" : " Space: the next, b: back, q: end ");
        if (alone > count)
                put_format(page_descriptor(), "\033[%u;1H%s\033[K", page_rows, text);
        else
                print("\n%s", text);
}

/* Shows them until a person presses a key; without `seconds` each once; alone, one of them. False =
 * not possible. */
static bool show(const struct codes *codes, unsigned seconds, unsigned *spent)
{
        for (unsigned i = alone ? (alone - 1) % codes->count : 0;;) {
                unsigned start = milliseconds();
                if (!code_make(codes, i) || !screen_draw())
                        return false;
                *spent += milliseconds() - start;
                say(i + 1, codes->count);
                bool last = i + 1 == codes->count;
                int chosen = seconds ? choice((int)seconds * 1000) : last ? QUIT : NEXT;
                if (chosen == QUIT || (alone && !pressed))
                        return true;
                i = (i + (chosen == NEXT ? 1 : codes->count - 1)) % codes->count;
        }
}

static int fail(const char *why)
{
        put_format(2, "codes: %s\n", why);
        return 1;
}

static const char too_many[] = "more records than codes of this screen hold: run fewer suites";
static const char too_small[] = "a text screen is too small for these records. GRUB's menu gives "
                                "a screen of pixels, if its entry p was not chosen; or measure "
                                "less at a time (only=)";

static int show_all(unsigned seconds)
{
        struct codes codes;
        struct screen screen;
        unsigned spent = 0;
        const char *why = screen_open(&screen);
        if (why)
                return fail(why);
        if (!codes_plan(&codes, pack.bytes, pack.length, screen.side)) {
                screen_close();
                return fail(screen.pixels ? too_many : too_small);
        }
        bool typed = keys_open();
        bool good = show(&codes, typed ? seconds : 0, &spent);
        if (typed)
                keys_close();
        screen_close();
        if (!good)
                return fail("a code could not be drawn");
        if (!alone || alone == codes.count)
                print("\ncodes: %u records in %u bytes: %u codes of %u modules a side, made in %u "
                      "ms\n",
                      records, (unsigned)pack.length, codes.count, code_size(), spent);
        return !alone ? 0 : pressed ? status_of(pressed) : alone % codes.count ? 0 : CODES_LAST;
}

/* The toll's codes, all at once: as few as fit there with modules that a camera can resolve. */
static bool show_at_once(const struct area *area)
{
        static const struct {
                unsigned halves, across, down; /* half pixels per module; codes across and down */
        } grids[] = {{6, 1, 1}, {6, 1, 2}, {6, 2, 1}, {6, 2, 2}, {6, 3, 2},
                     {5, 1, 2}, {5, 2, 1}, {5, 2, 2}, {5, 3, 2}};
        for (size_t g = 0; has_toll && g < sizeof grids / sizeof *grids; g++) {
                struct codes codes;
                struct area part = {area->left, area->top, area->width / grids[g].across,
                                    area->height / grids[g].down};
                if (!codes_plan(&codes, pack.bytes, pack.length,
                                area_side(&part, grids[g].halves)) ||
                    codes.count > grids[g].across * grids[g].down)
                        continue;
                codes.format = CODES_TOLL;
                for (unsigned i = 0; i < codes.count; i++) {
                        part.left = area->left + i % grids[g].across * part.width;
                        part.top = area->top + i / grids[g].across * part.height;
                        if (!code_make(&codes, i) || !area_draw(&part))
                                return false;
                }
                return true;
        }
        return false;
}

/* Uses the whole screen, if there is no room beside the page. */
static int show_toll(unsigned seconds)
{
        struct screen screen;
        if (!has_toll || screen_open(&screen))
                return 1;
        const struct area all = screen_all();
        bool shown = screen.pixels && show_at_once(&all);
        if (shown) {
                put_format(page_descriptor(),
                           "\033[%u;1H One photo of this screen has all records of the toll: "
                           "tollgate scan PHOTO.\033[K",
                           page_rows);
                bool typed = keys_open();
                pressed = typed ? key_wait((int)seconds * 1000) : KEY_NONE;
                if (typed)
                        keys_close();
        }
        screen_close();
        return shown ? status_of(pressed) : screen.pixels ? CODES_NO_ROOM : 1;
}

int main(int argc, char **argv)
{
        struct area area;
        unsigned seconds = option_number(argv, "seconds", 12);
        unsigned beside = option_number(argv, "beside", 0), blank = option_number(argv, "blank", 0);
        unsigned toll = option_number(argv, "toll", 0);
        const char *path = RECORDS;
        alone = option_number(argv, "alone", 0);
        toll_alone = beside || toll;
        if ((beside || blank) && !screen_beside(beside + blank, &area))
                return 1;
        if (blank) {
                area_blank(&area);
                return 0;
        }
        for (int i = 1; i < argc; i++)
                if (!strchr(argv[i], '=')) /* the kernel passes options to each suite */
                        path = argv[i];
        int descriptor = (int)open(path, O_RDONLY, 0);
        long error = descriptor < 0 ? descriptor : take_all(descriptor);
        if (error < 0)
                return complain("codes", path, error);
        close(descriptor);
        if (!wrong && !records)
                wrong = "there are no records yet: run a suite first";
        if (beside)
                return wrong || !show_at_once(&area);
        if (toll)
                return wrong ? 1 : show_toll(toll);
        return wrong ? fail(wrong) : show_all(seconds);
}
