/*
 * config.c - the kernel's command line (kernel/config.h). The console is a stand-in: what it is
 * told to say is kept, and to quit is to come back to the test.
 */
#include "config.h"
#include "cpu/alternatives.h"
#include "machine/console.h"
#include "unit.h"

const char *const fence_names[FENCES] = {"none", "lfence", "rdtscp", "cpuid"};

static char said[2048];
static jmp_buf stopped;

void say(const char *format, ...)
{
        va_list arguments;
        size_t length = strlen(said);
        va_start(arguments, format);
        kernel_vsnprintf(said + length, sizeof said - length, format, arguments);
        va_end(arguments);
}

_Noreturn void quit(unsigned char status)
{
        longjmp(stopped, status);
}

/* 0, or the status with which the kernel would have stopped. */
static int read_line(const char *line)
{
        char *exact = exact_copy(line, strlen(line) + 1);
        said[0] = 0;
        int status = setjmp(stopped);
        if (!status)
                config_read(exact);
        free(exact);
        return status;
}

static struct config defaults;

static int set_defaults(void **state)
{
        (void)state;
        config = defaults;
        return 0;
}

static void nothing(void **state)
{
        (void)state;
        assert_int_equal(read_line(""), 0);
        assert_int_equal(read_line("   "), 0);
        assert_string_equal(config.then, "menu");
        memset(config.then, 0, sizeof config.then);
        assert_memory_equal(&config, &defaults, sizeof config);
        assert_string_equal(config.suite, "toll,exceptions,faults,usystime");
        assert_string_equal(config.samples, "1000");
        assert_string_equal(config.fence, "");
}

static void every_word(void **state)
{
        (void)state;
        assert_int_equal(read_line(" suite=a,b  samples=7 only=user/int/ fence=rdtscp then=reset "
                                   "screen=none platform=p model=m=n emulator=QEMU-7.2 "),
                         0);
        assert_string_equal(config.suite, "a,b");
        assert_string_equal(config.samples, "7");
        assert_string_equal(config.only, "user/int/");
        assert_string_equal(config.fence, "rdtscp");
        assert_string_equal(config.then, "reset");
        assert_string_equal(config.screen, "none");
        assert_string_equal(config.platform, "p");
        assert_string_equal(config.model, "m=n");
        assert_string_equal(config.emulator, "QEMU-7.2");
        assert_string_equal(said, "");
}

static void last_word_wins(void **state)
{
        (void)state;
        assert_int_equal(read_line("only=a-long-one only=b"), 0);
        assert_string_equal(config.only, "b");
        assert_int_equal(read_line("only="), 0);
        assert_string_equal(config.only, "");
}

static void sample_counts(void **state)
{
        (void)state;
        static const char *const good[] = {"1", "9", "10", "9999", "10000", "19999", "20000"};
        static const char *const bad[] = {"",   "0",  "01",  "20001", "99999", "100000",
                                          "-1", "1k", "1.5", "+1",    "0x10",  "4294967297"};
        for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
                char line[64];
                snprintf(line, sizeof line, "samples=%s", good[i]);
                assert_int_equal(read_line(line), 0);
                assert_string_equal(config.samples, good[i]);
        }
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
                char line[64];
                snprintf(line, sizeof line, "samples=%s", bad[i]);
                assert_int_equal(read_line(line), QUIT_PANIC);
                assert_non_null(strstr(said, "samples per row, 1 to 20000"));
        }
}

static void fences(void **state)
{
        (void)state;
        for (size_t i = 0; i < FENCES; i++) {
                char line[64];
                snprintf(line, sizeof line, "fence=%s", fence_names[i]);
                assert_int_equal(read_line(line), 0);
                assert_string_equal(config.fence, fence_names[i]);
        }
        assert_int_equal(read_line("fence="), QUIT_PANIC);
        assert_int_equal(read_line("fence=mfence"), QUIT_PANIC);
        assert_int_equal(read_line("fence=LFENCE"), QUIT_PANIC);
        assert_non_null(strstr(said, "`fence=LFENCE`"));
}

static void ends(void **state)
{
        (void)state;
        assert_int_equal(read_line("platform=qemu-tcg"), 0);
        assert_string_equal(config.then, "stop");
        config = defaults;
        assert_int_equal(read_line("samples=2"), 0); /* there may be a person */
        assert_string_equal(config.then, "menu");
        assert_int_equal(read_line("then=menu"), 0);
        assert_int_equal(read_line("then=reset"), 0);
        assert_int_equal(read_line("then=stop"), 0);
        assert_int_equal(read_line("then="), QUIT_PANIC);
        assert_int_equal(read_line("then=halt"), QUIT_PANIC);
        assert_non_null(strstr(said, "stop, reset or menu"));
        assert_int_equal(read_line("screen=all"), 0);
        assert_int_equal(read_line("screen=off"), QUIT_PANIC);
        assert_non_null(strstr(said, "all or none"));
}

/* Words that a person adds to the line: whole, or not at all. */
static void more_words(void **state)
{
        (void)state;
        assert_int_equal(read_line("suite=a samples=7"), 0);
        assert_true(config_try("suite=b only=c"));
        assert_string_equal(config.suite, "b");
        assert_string_equal(config.samples, "7");
        assert_false(config_try("suite=d colour=red"));
        assert_string_equal(config.suite, "b");
        assert_string_equal(config.only, "c");
}

static void unknown_words(void **state)
{
        (void)state;
        static const char *const bad[] = {"quiet",   "suite",  "=",
                                          "=x",      "suit=x", "suites=x",
                                          "Suite=x", "only",   "samples=5\tonly=x"};
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
                char line[64], quoted[64];
                snprintf(line, sizeof line, "only=a %s only=b", bad[i]);
                snprintf(quoted, sizeof quoted, "`%s`", bad[i]);
                assert_int_equal(read_line(line), QUIT_PANIC);
                assert_non_null(strstr(said, quoted));
        }
        assert_string_equal(config.only, "a"); /* the option before it was read */
        static const char *const words[] = {"suite=",  "samples=",  "only=",  "fence=",   "then=",
                                            "screen=", "platform=", "model=", "emulator="};
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
                assert_non_null(strstr(said, words[i]));
}

static void long_values(void **state)
{
        (void)state;
        char line[2048] = "only=", expected[CONFIG_TEXT];
        memset(line + 5, 'x', CONFIG_TEXT - 1);
        memset(expected, 'x', CONFIG_TEXT - 1);
        expected[CONFIG_TEXT - 1] = 0;
        assert_int_equal(read_line(line), 0);
        assert_string_equal(config.only, expected);
        line[5 + CONFIG_TEXT - 1] = 'x';
        assert_int_equal(read_line(line), QUIT_PANIC);
        assert_non_null(strstr(said, "longer than 63 characters"));
        assert_string_equal(config.only, expected);
        /* A word as long as the whole line is shown in part. */
        memset(line + 5, 'x', 1500);
        assert_int_equal(read_line(line), QUIT_PANIC);
        assert_null(memchr(said, 0, 80));
        assert_true(strlen(said) < 1200);
}

static void random_lines(void **state)
{
        (void)state;
        static const char *const pieces[] = {"suite", "samples", "only", "fence", "=",
                                             "=",     " ",       " ",    "1",     "20000",
                                             "none",  ",",       "x",    "\xe4",  "\n"};
        for (unsigned i = 0; i < 20000; i++) {
                char line[256] = "";
                for (size_t n = chance_below(16); n--;)
                        strcat(line, pieces[chance_below(sizeof pieces / sizeof *pieces)]);
                int status = read_line(line);
                assert_true(status ? status == QUIT_PANIC && said[0] : !said[0]);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup(nothing, set_defaults),
                cmocka_unit_test_setup(every_word, set_defaults),
                cmocka_unit_test_setup(last_word_wins, set_defaults),
                cmocka_unit_test_setup(sample_counts, set_defaults),
                cmocka_unit_test_setup(fences, set_defaults),
                cmocka_unit_test_setup(ends, set_defaults),
                cmocka_unit_test_setup(more_words, set_defaults),
                cmocka_unit_test_setup(unknown_words, set_defaults),
                cmocka_unit_test_setup(long_values, set_defaults),
                cmocka_unit_test_setup(random_lines, set_defaults),
        };
        defaults = config;
        return cmocka_run_group_tests(tests, NULL, NULL);
}
