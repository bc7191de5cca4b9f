/*
 * tree.c - the initrd (kernel/unix/fs/initrd.h): a damaged archive is refused in a sentence,
 * and a file that is found lies in the archive and is whole. Arguments: real archives.
 */
#include "unit.h"
#include <sanitizer/asan_interface.h>
#include "samples.h"

#define RANDOM_MUTATIONS 10000

static char **archives; /* paths */

static const char *const paths[] = {"/bin/a", "bin/longer", "/empty", "seven", "/bin", "/no", ""};

/* Opens, and looks for everything: true if it was accepted. */
static bool judge(const uint8_t *bytes, size_t size)
{
        struct initrd tree;
        const char *wrong = initrd_open(&tree, bytes, size);
        if (wrong) {
                assert_sentence(wrong);
                return false;
        }
        for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
                struct initrd_file file;
                if (!tree_find(&tree, paths[i], &file))
                        assert_true(file_is_safe(&tree, &file));
        }
        return true;
}

static void assert_refused(const uint8_t *bytes, size_t size, const char *sentence)
{
        struct initrd tree;
        uint8_t *exact = exact_copy(bytes, size);
        const char *wrong = initrd_open(&tree, exact, size);
        assert_non_null(wrong);
        assert_string_equal(wrong, sentence);
        free(exact);
}

static void assert_file(const struct initrd *tree, const char *path, const char *data)
{
        struct initrd_file file;
        assert_int_equal(tree_find(tree, path, &file), 0);
        assert_int_equal(file.size, strlen(data));
        assert_memory_equal(file.data, data, file.size);
}

static void valid(void **state)
{
        (void)state;
        uint8_t bytes[ARCHIVE_MOST];
        struct initrd tree;
        struct initrd_file file;
        size_t size = make_archive(bytes);
        uint8_t *exact = exact_copy(bytes, size);
        assert_null(initrd_open(&tree, exact, size));
        assert_file(&tree, "/bin/a", "first");
        assert_file(&tree, "bin/a", "first");
        assert_file(&tree, "//bin/a", "first");
        assert_file(&tree, "/bin/longer", "\xff\xfe\x80\x01\x7f!");
        assert_file(&tree, "/empty", ""); /* "./empty" in the archive */
        assert_file(&tree, "/seven", "1234567");
        static const char *const missing[] = {"/bin",        "/bin/",   "/bin/a/", "/bin/b",
                                              "/bi",         "/bin/aa", "",        "/",
                                              "/TRAILER!!!", "./bin/a"};
        for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
                assert_int_equal(tree_find(&tree, missing[i], &file), -1);
        free(exact);
}

static void nothing_in_it(void **state)
{
        (void)state;
        uint8_t bytes[ARCHIVE_MOST];
        struct initrd tree;
        struct initrd_file file;
        size_t size = put_entry(bytes, "TRAILER!!!", 0, "", 0);
        assert_null(initrd_open(&tree, bytes, size));
        assert_int_equal(tree_find(&tree, "/bin/a", &file), -1);
        assert_refused(bytes, 0, "it ends before its last entry");
        assert_refused((const uint8_t *)"not an archive", 14, "it ends before its last entry");
        initrd_open(&tree, NULL, 0);
        assert_int_equal(tree_find(&tree, "/bin/a", &file), -1);
}

/* GNU cpio fills up to 512 bytes; a loader may round up to a page. */
static void behind_the_trailer(void **state)
{
        (void)state;
        uint8_t bytes[2 * ARCHIVE_MOST];
        size_t size = make_archive(bytes);
        memset(bytes + size, 0xcc, sizeof bytes - size);
        assert_true(judge(bytes, sizeof bytes));
        /* The bytes there are not part of the tree. */
        struct initrd tree;
        struct initrd_file file;
        put_entry(bytes + size, "late", ARCHIVE_FILE, "file", 4);
        assert_null(initrd_open(&tree, bytes, sizeof bytes));
        assert_int_equal(tree_find(&tree, "/late", &file), -1);
}

static void lower_case_digits(void **state)
{
        (void)state;
        uint8_t bytes[ARCHIVE_MOST];
        struct initrd tree;
        size_t at = put_entry(bytes, "bin/longer-name", ARCHIVE_FILE, "\xff\xff\xff!twelve", 10);
        put_entry(bytes + at, "TRAILER!!!", 0, "", 0);
        for (size_t i = 6; i < ARCHIVE_HEADER; i++)
                if (bytes[i] >= 'A')
                        bytes[i] |= 32;
        assert_null(initrd_open(&tree, bytes, sizeof bytes));
        assert_file(&tree, "/bin/longer-name", "\xff\xff\xff!twelve");
}

static void sentences(void **state)
{
        (void)state;
        static const struct {
                unsigned field;
                uint32_t value;
                const char *wrong;
        } cases[] = {
                {C_CHECK, 5 * 'f', "a file's checksum is wrong"},
                {C_CHECK, UINT32_MAX, "a file's checksum is wrong"},
                {C_SIZE, 4, "a file's checksum is wrong"},
                {C_SIZE, 0, "a file's checksum is wrong"},
                {C_SIZE, ARCHIVE_MOST, "an entry is longer than the archive"},
                {C_SIZE, 0x7fffffff, "an entry is longer than the archive"},
                {C_SIZE, 0xffffff00, "an entry is longer than the archive"},
                {C_SIZE, UINT32_MAX, "an entry is longer than the archive"},
                {C_NAME_SIZE, 0, "an entry's header is damaged"},
                {C_NAME_SIZE, 5, "an entry's name does not end"},
                {C_NAME_SIZE, 4097, "an entry is longer than the archive"},
                {C_NAME_SIZE, UINT32_MAX - ARCHIVE_HEADER, "an entry is longer than the archive"},
                {C_NAME_SIZE, UINT32_MAX, "an entry is longer than the archive"},
        };
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
                uint8_t bytes[ARCHIVE_MOST];
                size_t at = put_entry(bytes, "bin/a", ARCHIVE_FILE, "first", 5);
                size_t size = at + put_entry(bytes + at, "TRAILER!!!", 0, "", 0);
                put_archive_field(bytes, cases[i].field, cases[i].value);
                assert_refused(bytes, size, cases[i].wrong);
        }
        uint8_t bytes[ARCHIVE_MOST];
        size_t at = put_entry(bytes, "bin/a", ARCHIVE_FILE, "first", 5);
        assert_refused(bytes, at, "it ends before its last entry");
        bytes[5] = '1'; /* "new", without checksums */
        assert_refused(bytes, at, "an entry is not in cpio's crc format (magic 070702)");
}

static void long_names(void **state)
{
        (void)state;
        static uint8_t bytes[3 * 4096];
        char name[4097];
        struct initrd tree;
        memset(name, 'n', sizeof name);
        name[4095] = 0;
        size_t at = put_entry(bytes, name, ARCHIVE_FILE, "first", 5);
        size_t size = at + put_entry(bytes + at, "TRAILER!!!", 0, "", 0);
        assert_null(initrd_open(&tree, bytes, size));
        assert_file(&tree, name, "first");
        name[4095] = 'n';
        name[4096] = 0;
        at = put_entry(bytes, name, ARCHIVE_FILE, "first", 5);
        size = at + put_entry(bytes + at, "TRAILER!!!", 0, "", 0);
        assert_refused(bytes, size, "an entry is longer than the archive");
}

/* Sums of more than lanes of 16 bits hold, of every length around a block, at every address. */
static void long_files(void **state)
{
        (void)state;
        static char data[1024];
        static uint8_t bytes[2048];
        struct initrd tree;
        memset(data, 0xff, sizeof data);
        for (uint32_t length = sizeof data - 300; length <= sizeof data; length++) {
                uint8_t *to = bytes + length % 8;
                size_t at = put_entry(to, "bin/a", ARCHIVE_FILE, data, length);
                size_t size = at + put_entry(to + at, "TRAILER!!!", 0, "", 0);
                assert_null(initrd_open(&tree, to, size));
                to[at - 4 - length / 2] ^= 1;
                assert_refused(to, size, "a file's checksum is wrong");
        }
}

/* Only files are found, whatever else has their name or a wrong sum. */
static void other_kinds(void **state)
{
        (void)state;
        static const uint32_t kinds[] = {0120777, 0040755, 0020666, 0060666, 0010666, 0140777};
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
                uint8_t bytes[ARCHIVE_MOST];
                struct initrd tree;
                size_t at = put_entry(bytes, "bin/a", kinds[i], "other", 5);
                at += put_entry(bytes + at, "bin/a", ARCHIVE_FILE, "first", 5);
                at += put_entry(bytes + at, "TRAILER!!!", 0, "", 0);
                assert_null(initrd_open(&tree, bytes, at));
                assert_file(&tree, "/bin/a", "first");
        }
}

static void every_length(void **state)
{
        (void)state;
        uint8_t bytes[ARCHIVE_MOST];
        size_t size = make_archive(bytes);
        uint8_t *exact = exact_copy(bytes, size);
        assert_true(judge(exact, size));
        for (size_t cut = size; cut-- > 0;) {
                ASAN_POISON_MEMORY_REGION(exact + cut, 8 - cut % 8);
                assert_false(judge(exact, cut));
        }
        ASAN_UNPOISON_MEMORY_REGION(exact, size);
        free(exact);
}

/* Each byte with each other value. A file's data and sums are never accepted changed; fields that
 * the reader has no use for never matter. */
static void every_byte(void **state)
{
        (void)state;
        static const bool used[ARCHIVE_FIELDS] = {
                [C_MODE] = true, [C_SIZE] = true, [C_NAME_SIZE] = true, [C_CHECK] = true};
        uint8_t bytes[ARCHIVE_MOST];
        size_t at = put_entry(bytes, "bin/a", ARCHIVE_FILE, "first!", 6);
        size_t data = at - 8, size = at + put_entry(bytes + at, "TRAILER!!!", 0, "", 0);
        uint8_t *exact = exact_copy(bytes, size);
        for (size_t i = 0; i < size; i++) {
                for (unsigned change = 1; change < 256; change++) {
                        exact[i] = (uint8_t)(bytes[i] ^ change);
                        bool accepted = judge(exact, size);
                        size_t in_header = i < at ? i : i - at;
                        if (in_header < 6 || (i >= data && i < data + 6))
                                assert_false(accepted);
                        else if (in_header < ARCHIVE_HEADER && !used[(in_header - 6) / 8])
                                assert_true(accepted);
                        else if (i >= 6 + 8 * C_CHECK && i < ARCHIVE_HEADER)
                                assert_int_equal(accepted, change == 32 && bytes[i] >= 'A');
                }
                exact[i] = bytes[i];
        }
        free(exact);
}

static void random_mutations(void **state)
{
        (void)state;
        uint8_t bytes[ARCHIVE_MOST];
        size_t size = make_archive(bytes);
        uint8_t *exact = exact_copy(bytes, size);
        unsigned accepted = 0;
        for (unsigned i = 0; i < RANDOM_MUTATIONS; i++) {
                for (size_t changes = 1 + chance_below(4); changes--;) {
                        size_t at = chance_below(size);
                        exact[at] = chance() % 4
                                            ? (uint8_t) "0123456789ABCDEFabcdef/."[chance_below(24)]
                                            : (uint8_t)chance();
                }
                accepted += judge(exact, size);
                memcpy(exact, bytes, size);
        }
        free(exact);
        assert_in_range(accepted, RANDOM_MUTATIONS / 50, RANDOM_MUTATIONS - RANDOM_MUTATIONS / 4);
}

static void real_archives(void **state)
{
        (void)state;
        assert_non_null(*archives);
        for (char **path = archives; *path; path++) {
                size_t size;
                uint8_t *bytes = load_file(*path, &size);
                struct initrd tree;
                struct initrd_file file;
                const char *wrong = initrd_open(&tree, bytes, size);
                if (wrong)
                        fail_msg("%s: %s", *path, wrong);
                assert_int_equal(tree_find(&tree, "/bin/toll", &file), 0);
                assert_true(file_is_safe(&tree, &file));
                assert_memory_equal(file.data, "\177ELF", 4);
                bytes[file.data - bytes + (ptrdiff_t)file.size - 1] ^= 1;
                assert_non_null(initrd_open(&tree, bytes, size));
                free(bytes);
        }
}

int main(int count, char **arguments)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(valid),
                cmocka_unit_test(nothing_in_it),
                cmocka_unit_test(behind_the_trailer),
                cmocka_unit_test(lower_case_digits),
                cmocka_unit_test(sentences),
                cmocka_unit_test(long_names),
                cmocka_unit_test(long_files),
                cmocka_unit_test(other_kinds),
                cmocka_unit_test(every_length),
                cmocka_unit_test(every_byte),
                cmocka_unit_test(random_mutations),
                cmocka_unit_test(real_archives),
        };
        archives = arguments + (count > 0);
        return cmocka_run_group_tests(tests, NULL, NULL);
}
