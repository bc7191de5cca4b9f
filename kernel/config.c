/* config.c - the kernel's command line: a table of words; any other word is refused. */
#include "config.h"
#include "suites_default.h" /* tools/tollgate/suite_lists.py */
#include "machine/console.h"
#include "lib/printf.h"
#include "lib/string.h"

struct config config = {
        .suite = SUITES_DEFAULT,
        .samples = "1000",
        .screen = "all",
        .platform = "hardware",
};

/* Whether a list with commas has this word. */
static bool list_has(const char *list, const char *word)
{
        size_t length = strlen(word);
        for (; *list; list += *list == ',') {
                if (!strncmp(list, word, length) && (!list[length] || list[length] == ','))
                        return true;
                while (*list && *list != ',')
                        list++;
        }
        return false;
}

bool config_set_asked(const char *set)
{
        return list_has(config.parts, "all") || list_has(config.parts, set + 1);
}

unsigned config_number(const char *value)
{
        unsigned number = 0;
        for (size_t i = 0; i < 6 && value[i] >= '0' && value[i] <= '9'; i++)
                number = 10 * number + (unsigned)(value[i] - '0');
        return number;
}

static const struct word {
        const char *name;
        char *value;
        size_t size;
        const char *means;
        const char *choices; /* a list, or the least and the most number; NULL = any value */
} words[] = {
#define WORD(name) #name, config.name, sizeof config.name
        {WORD(suite), "programs to run, with commas", NULL},
        {WORD(samples), "samples per row, 1 to 20000", "1-20000"},
        {WORD(only), "part of the ids to measure", NULL},
        {WORD(parts), "sets and parts whose rows are there, with commas, or all", NULL},
        {WORD(beside), "others: checks with a program of each other origin beside them", "others"},
        {WORD(fence), "none, lfence, both, rdtscp or cpuid", "none,lfence,both,rdtscp,cpuid"},
        {WORD(align), "bytes from a line of 64 to each entry behind it, 0 to 63", "0-63"},
        {WORD(calls), "say: which calls programs make that are not here, and which become direct",
         "say"},
        {WORD(direct), "off: system calls that a program has compiled in stay SYSCALL", "off"},
        {WORD(then), "stop, reset or menu, after the last suite", "stop,reset,menu"},
        {WORD(screen), "all or none of the text, beside the serial line", "all,none"},
        {WORD(clock), "tsc or ticks, what the time is counted by", "tsc,ticks"},
        {WORD(unit), "cycles: call a hypervisor's ticks so", "cycles"},
        {WORD(retired), "tsc: call it a counter of retired instructions", "tsc"},
        {WORD(platform), "a label", NULL},
        {WORD(model), "a label", NULL},
        {WORD(emulator), "a label", NULL},
};
#define WORDS (sizeof words / sizeof *words)

static bool word_takes(const struct word *word, const char *value)
{
        const char *most = word->choices ? strchr(word->choices, '-') : NULL;
        unsigned number = config_number(value);
        char digits[8];
        if (!most)
                return !word->choices || (!strchr(value, ',') && list_has(word->choices, value));
        snprintf(digits, sizeof digits, "%u", number);
        return !strcmp(digits, value) && number >= config_number(word->choices) &&
               number <= config_number(most + 1);
}

static _Noreturn void refuse_word(const char *word, size_t length, const char *why)
{
        say("tollgate: the command line has `%.*s`: %s. The words are:\n",
            (int)(length < 80 ? length : 80), word, why);
        for (size_t i = 0; i < WORDS; i++)
                say("  %s=... (%s)\n", words[i].name, words[i].means);
        quit(QUIT_PANIC);
}

/* NULL, or why the word is refused. */
static const char *read_word(const char *text, size_t length)
{
        static char too_long[64];
        for (size_t i = 0; i < WORDS; i++) {
                size_t name = strlen(words[i].name);
                if (length <= name || strncmp(text, words[i].name, name) || text[name] != '=')
                        continue;
                if (length - name - 1 >= words[i].size) {
                        snprintf(too_long, sizeof too_long,
                                 "its value is longer than %d characters", (int)words[i].size - 1);
                        return too_long;
                }
                memcpy(words[i].value, text + name + 1, length - name - 1);
                words[i].value[length - name - 1] = 0;
                return word_takes(&words[i], words[i].value) ? NULL : words[i].means;
        }
        return "no such word";
}

/* The first word that is refused, and why; NULL = none. */
static const char *read_words(const char *line, size_t *length, const char **why)
{
        for (; *line; line += *length + (line[*length] == ' ')) {
                *length = 0;
                while (line[*length] && line[*length] != ' ')
                        ++*length;
                if (*length && (*why = read_word(line, *length)))
                        return line;
        }
        return NULL;
}

void config_read(const char *line)
{
        const char *why, *wrong;
        size_t length;
        if ((wrong = read_words(line, &length, &why)))
                refuse_word(wrong, length, why);
        /* A labelled machine is read by the host; otherwise assume a person is watching. */
        if (!config.then[0])
                memcpy(config.then, strcmp(config.platform, "hardware") ? "stop" : "menu", 5);
}
