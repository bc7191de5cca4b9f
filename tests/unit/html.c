/* html.c - the text of pages (kernel/lib/html.h): whole, cut anywhere, and of random pieces. `html
 * --text FILE [BYTES]` prints a page's text. */
#include "unit.h"
#include "lib/html.h"

#define ROUNDS 20000
#define MOST 400

/* Reads in buffers of exactly their size. */
static char *text_of(const char *markup, size_t size, size_t room, size_t *length)
{
        char *from = exact_copy(markup, size), *to = malloc(room ? room : 1);
        assert_non_null(to);
        *length = html_text(to, room, from, size);
        assert_true(*length <= room && *length <= size);
        free(from);
        return to;
}

static void nothing_beyond_is_touched(void **state)
{
        static const char *const pieces[] = {
                "<",    ">",    "/",          "!",         "--",        "<!--",  "-->",  "\"",
                "'",    "=",    "&",          ";",         "#",         "#x",    "amp",  "lt;",
                "<p",   "</p>", "script",     "<style>",   "</script",  "</STY", "text", " ",
                "\xc3", "\xff", "9999999999", "&thetasym", "&#x1F600;", "<?",    "\n",   "zwnj;"};
        for (int i = 0; i < ROUNDS; i++) {
                char markup[MOST];
                size_t size = 0, most = chance_below(MOST - 16), length;
                while (size < most) {
                        const char *piece = pieces[chance_below(sizeof pieces / sizeof *pieces)];
                        memcpy(markup + size, piece, strlen(piece));
                        size += strlen(piece);
                        if (!chance_below(8))
                                markup[size++] = (char)chance_below(256);
                }
                free(text_of(markup, size, chance_below(size + 2), &length));
        }
}

static int print_text(const char *path, size_t most)
{
        FILE *file = fopen(path, "rb");
        char *markup = malloc(most), *text = malloc(most);
        if (!file || !markup || !text)
                return 1;
        size_t size = fread(markup, 1, most, file);
        fwrite(text, 1, html_text(text, size, markup, size), stdout);
        fclose(file);
        free(markup);
        free(text);
        return 0;
}

int main(int argc, char **argv)
{
        const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_beyond_is_touched)};
        if (argc > 2 && !strcmp(argv[1], "--text"))
                return print_text(argv[2], argc > 3 ? strtoul(argv[3], NULL, 10) : 1 << 20);
        return cmocka_run_group_tests(tests, NULL, NULL);
}
