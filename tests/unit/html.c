/* html.c - the text of pages (kernel/lib/html.h): whole, cut anywhere, and made of pieces at
 * random. `html --text FILE [BYTES]` prints a page's. */
#include "unit.h"
#include "lib/html.h"

#define ROUNDS 20000
#define MOST 400

/* In buffers of exactly their size. */
static char *text_of(const char *markup, size_t size, size_t room, size_t *length)
{
        char *from = exact_copy(markup, size), *to = malloc(room ? room : 1);
        assert_non_null(to);
        *length = html_text(to, room, from, size);
        assert_true(*length <= room && *length <= size);
        free(from);
        return to;
}

static void expect(const char *markup, const char *wanted)
{
        size_t length, size = strlen(markup);
        char *text = text_of(markup, size, size, &length);
        if (length != strlen(wanted) || memcmp(text, wanted, length))
                fail_msg("%s: %.*s", markup, (int)length, text);
        free(text);
}

static void tags_are_left_out(void **state)
{
        (void)state;
        expect("<p>one</p> <b>two</b>", "one two");
        expect("<A HREF=x>three</A>", "three");
        expect("<br/>a<br />b", "ab");
        expect("<a title=\"x > y\">quoted</a>", "quoted");
        expect("<a title='x > \"y\"' b=\"'>\">quoted</a>", "quoted");
        expect("<a title = \"x > y\">spaces</a>", "spaces");
        expect("<p it's>an apostrophe</p>", "an apostrophe");
        expect("a < b, a <= b, 1<2", "a < b, a <= b, 1<2");
        expect("<", "<");
        expect("</>x</ y>z", "xz");
}

static void comments_and_declarations_are_left_out(void **state)
{
        (void)state;
        expect("<!DOCTYPE html>a<!-- <b> > -- > -->b<?pi x?>c", "abc");
        expect("<!-->x-->y", "y");
        expect("a<!-- open", "a");
        expect("a<!", "a");
}

static void scripts_and_styles_are_left_out(void **state)
{
        (void)state;
        expect("a<script>if (a < b) x(\"</p>\");</script>b", "ab");
        expect("a<STYLE type='x'>p > a {}</Style >b", "ab");
        expect("a<script src=x></script>b", "ab");
        expect("a<script>x</scripts></script>b", "ab");
        expect("a<scripted>b</scripted>", "ab");
        expect("a<script>never ended", "a");
        expect("a<script>never ended</script", "a");
}

static void entities_are_resolved(void **state)
{
        (void)state;
        expect("&lt;b&gt; &amp;amp; &quot;&apos;", "<b> &amp; \"'");
        expect("&copy;&euro;&#8364;&#x20AC;&#x1F600;", "\u00a9\u20ac\u20ac\u20ac\U0001F600");
        expect("&zwnj;&AElig;&thetasym;", "\u200c\u00c6\u03d1");
        expect("&none; &; & &lt &#; &#x; &#xg;", "&none; &; & &lt &#; &#x; &#xg;");
        expect("&#0;&#xd800;&#xffffffffffff;&#1114112;", "\ufffd\ufffd\ufffd\ufffd");
        expect("&#65 &#66", "A B");
        expect("&", "&");
}

static void cut_markup_is_left_out(void **state)
{
        static const char page[] = "<p class=\"x\">a&amp;b<!-- c --><script>d</script>e</p>&#65;";
        (void)state;
        for (size_t size = 0; size < sizeof page; size++)
                for (size_t room = 0; room <= size; room++) {
                        size_t length;
                        free(text_of(page, size, room, &length));
                }
}

static void nothing_beyond_is_touched(void **state)
{
        static const char *const pieces[] = {
                "<",    ">",    "/",          "!",         "--",        "<!--",  "-->",  "\"",
                "'",    "=",    "&",          ";",         "#",         "#x",    "amp",  "lt;",
                "<p",   "</p>", "script",     "<style>",   "</script",  "</STY", "text", " ",
                "\xc3", "\xff", "9999999999", "&thetasym", "&#x1F600;", "<?",    "\n",   "zwnj;"};
        (void)state;
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
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(tags_are_left_out),
                cmocka_unit_test(comments_and_declarations_are_left_out),
                cmocka_unit_test(scripts_and_styles_are_left_out),
                cmocka_unit_test(entities_are_resolved),
                cmocka_unit_test(cut_markup_is_left_out),
                cmocka_unit_test(nothing_beyond_is_touched),
        };
        if (argc > 2 && !strcmp(argv[1], "--text"))
                return print_text(argv[2], argc > 3 ? strtoul(argv[3], NULL, 10) : 1 << 20);
        return cmocka_run_group_tests(tests, NULL, NULL);
}
