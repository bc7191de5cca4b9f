/*
 * screen.c - what can be read on framebuffers of every size and depth (kernel/dev/screen.c,
 * pixels.c): the first words without a frame of memory, a page, letters that are large enough, and
 * nothing outside of it.
 */
#include "unit.h"
#include "arch.h"
#include "dev/pixels.c"
#undef WIDTH
#undef HEIGHT
#define state screen_state
#include "dev/screen.c"
#undef state

#define GLYPH_LINES 16

const struct screen_driver text_driver = {1, 1, NULL, NULL, NULL};
static uint8_t *memory;
static size_t memory_size;

void interrupt_window(void)
{
}

void *window_map(uint64_t physical, size_t size, pte_t type)
{
        assert_int_equal(type, PTE_COMBINING);
        assert_int_equal(physical, 0x80000000);
        memory_size = size;
        return memory = malloc(size);
}

/* --- the screens -------------------------------------------------------------------------------
 */

static struct boot_screen screen;

static void begin(uint32_t width, uint32_t height, uint8_t bits)
{
        free(memory);
        memory = NULL;
        driver = NULL;
        shown = false;
        columns = rows = 0;
        memset(spread, 0, sizeof spread);
        memset(&text, 0, sizeof text);
        memset(&page, 0, sizeof page);
        covered = false;
        screen = (struct boot_screen){.kind = SCREEN_PIXELS,
                                      .address = 0x80000000,
                                      .pitch = width * ((bits + 7u) / 8) + 64,
                                      .width = width,
                                      .height = height,
                                      .bits = bits};
        screen_init(&screen);
}

static bool is_lit(unsigned x, unsigned y)
{
        const uint8_t *at = memory + (size_t)y * screen.pitch + (size_t)x * bytes;
        for (unsigned i = 1; i < bytes; i++)
                assert_int_equal(at[i], at[0]);
        assert_true(at[0] == 0 || at[0] == 0xff);
        return at[0];
}

/* The character of which each pixel is `scale` times `scale` large. */
static char read_cell(unsigned column, unsigned row)
{
        uint8_t glyph[GLYPH_LINES] = {0};
        for (unsigned y = 0; y < GLYPH_LINES * scale; y++)
                for (unsigned x = 0; x < 8 * scale; x++) {
                        bool lit = is_lit(column * 8 * scale + x, row * GLYPH_LINES * scale + y);
                        assert_int_equal(lit, is_lit((column * 8 + x / scale) * scale,
                                                     (row * GLYPH_LINES + y / scale) * scale));
                        glyph[y / scale] |= (uint8_t)(lit << (7 - x / scale));
                }
        for (int c = ' '; c <= '~'; c++)
                if (!memcmp(glyph, font.glyphs[c], GLYPH_LINES))
                        return (char)c;
        fail_msg("no letter at column %u of row %u", column, row);
        return 0;
}

static void reads(unsigned row, unsigned column, const char *line)
{
        for (unsigned i = 0; line[i]; i++)
                if (read_cell(column + i, row) != line[i])
                        fail_msg("%ux%u, %u bits: no %s in row %u", screen.width, screen.height,
                                 screen.bits, line, row);
}

static void say(const char *line)
{
        screen_write(line, strlen(line));
}

static void every_size_and_depth(void **unused)
{
        static const struct {
                uint32_t width, height;
                unsigned scale;
        } sizes[] = {
                {640, 480, 1},   {800, 600, 1},   {1024, 768, 1},  {1280, 720, 1},  {1280, 800, 1},
                {1366, 768, 1},  {1280, 1024, 1}, {1600, 900, 1},  {1680, 1050, 1}, {1920, 1080, 1},
                {1600, 1200, 2}, {1920, 1200, 2}, {2560, 1440, 2}, {2560, 1600, 2}, {3440, 1440, 2},
                {3840, 2160, 2}, {1200, 1920, 1}, /* upright: two would leave 75 columns */
        };
        static const uint8_t depths[] = {15, 16, 24, 32};
        (void)unused;
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
                begin(sizes[i].width, sizes[i].height, depths[i % 4]);
                assert_null(screen_wrong());
                assert_int_equal(scale, sizes[i].scale);
                assert_int_equal(screen_columns(), sizes[i].width / (8 * scale));
                assert_int_equal(screen_rows(), least(sizes[i].height / (16 * scale), ROWS_MAX));
                assert_true(screen_columns() >= 80 && screen_rows() >= 25);
                say("Tollgate is here.\n");
                reads(0, 0, "Tollgate is here. ");
                unsigned last = screen_columns() - 4, bottom = screen_rows() - 1;
                char line[64];
                snprintf(line, sizeof line, "\033[%u;%uHlast\033[2;1H\033[Kpage", bottom + 1,
                         last + 1);
                screen_draw(line, strlen(line));
                reads(bottom, last, "last");
                reads(1, 0, "page ");
                for (unsigned n = 0; n < bottom; n++)
                        say("x\n");
                reads(0, 0, "xage ");
                reads(bottom - 1, last, "last");
                for (unsigned y = 0; y < screen.height; y++)
                        for (unsigned x = screen.width * bytes; x < screen.pitch; x++)
                                assert_int_equal(memory[(size_t)y * screen.pitch + x], 0);
        }
}

/* A page, and pixels that nobody here knows of. */
static void last_words_can_be_read(void **unused)
{
        static const char page_over[] = "\033[3;1H\033[7mwhat a program has drawn";
        static const char code_over[] = "\033[30;30r\033[30;1Hcode 1 of 3";
        static const char progress[] = "\033[1;29r\033[30;1Htoll: row 3";
        (void)unused;
        begin(640, 480, 32);
        say("one\ntwo\n");
        screen_draw(progress, sizeof progress - 1);
        screen_take();
        say("panic");
        reads(0, 0, "one");
        reads(2, 0, "panic ");
        reads(29, 0, "toll: row 3");
        screen_draw(page_over, sizeof page_over - 1);
        screen_take();
        say("panic");
        reads(0, 0, "panic ");
        reads(2, 0, "    ");
        screen_draw(code_over, sizeof code_over - 1);
        memset(memory, 0x5a, memory_size);
        screen_take();
        say("panic\nagain");
        reads(0, 0, "panic ");
        reads(1, 0, "again ");
        reads(29, 0, "      ");
}

static void what_is_no_screen_says_so(void **unused)
{
        (void)unused;
        begin(640, 480, 8); /* the loader calls it another kind; this is what would come of it */
        screen.kind = SCREEN_OTHER;
        screen_init(&screen);
        assert_non_null(strstr(screen_wrong(), "neither text nor a framebuffer"));
        screen.kind = SCREEN_NONE;
        screen_init(&screen);
        assert_non_null(strstr(screen_wrong(), "no screen"));
        begin(600, 400, 32);
        assert_non_null(strstr(screen_wrong(), "80 by 25"));
        begin(0, 0, 32);
        assert_non_null(strstr(screen_wrong(), "80 by 25"));
        say("nobody reads this\n");
        begin(20000, 20000, 32);
        assert_non_null(strstr(screen_wrong(), "cannot reach it"));
        say("nor this\n");
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(every_size_and_depth),
                cmocka_unit_test(last_words_can_be_read),
                cmocka_unit_test(what_is_no_screen_says_so),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
