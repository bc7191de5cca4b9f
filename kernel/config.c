/* config.c - the kernel's command line: a table of words; any other word is refused. */
#include "config.h"
#include "suites_default.h" /* tools/tollgate/suite_lists.py */
#include "cpu/alternatives.h"
#include "machine/console.h"
#include "lib/printf.h"
#include "lib/string.h"

struct config config = {
        .suite = SUITES_DEFAULT,
        .samples = "1000",
        .screen = "all",
        .platform = "hardware",
};

static bool any(const char *value)
{
        (void)value;
        return true;
}

static bool config_number(const char *value)
{
        size_t length = strlen(value);
        for (size_t i = 0; i < length; i++)
                if (value[i] < '0' || value[i] > '9')
                        return false;
        return length && value[0] != '0' &&
               (length < 5 || (length == 5 && strcmp(value, "20000") <= 0));
}

bool config_set_asked(const char *set)
{
        size_t length = strlen(set + 1);
        for (const char *list = config.parts; *list; list += *list == ',') {
                if (!strcmp(list, "all") ||
                    (!strncmp(list, set + 1, length) && (!list[length] || list[length] == ',')))
                        return true;
                while (*list && *list != ',')
                        list++;
        }
        return false;
}

static bool fence(const char *value)
{
        for (size_t i = 0; i < FENCES; i++)
                if (!strcmp(value, fence_names[i]))
                        return true;
        return false;
}

static bool then(const char *value)
{
        return !strcmp(value, "stop") || !strcmp(value, "reset") || !strcmp(value, "menu");
}

static bool beside(const char *value)
{
        return !strcmp(value, "others");
}

static bool calls(const char *value)
{
        return !strcmp(value, "say");
}

static bool direct(const char *value)
{
        return !strcmp(value, "off");
}

static bool screen(const char *value)
{
        return !strcmp(value, "all") || !strcmp(value, "none");
}

static bool clock(const char *value)
{
        return !strcmp(value, "tsc") || !strcmp(value, "ticks");
}

static bool unit(const char *value)
{
        return !strcmp(value, "cycles");
}

static bool config_retired(const char *value)
{
        return !strcmp(value, "tsc");
}

static const struct word {
        const char *name;
        char *value;
        size_t size;
        const char *means;
        bool (*good)(const char *value);
} words[] = {
#define WORD(name) #name, config.name, sizeof config.name
        {WORD(suite), "programs to run, with commas", any},
        {WORD(samples), "samples per row, 1 to 20000", config_number},
        {WORD(only), "part of the ids to measure", any},
        {WORD(parts), "sets and parts whose rows are there, with commas, or all", any},
        {WORD(beside), "others: checks with a program of each other origin beside them", beside},
        {WORD(fence), "none, lfence, both, rdtscp or cpuid", fence},
        {WORD(calls), "say: which calls programs make that are not here, and which become direct",
         calls},
        {WORD(direct), "off: system calls that a program has compiled in stay SYSCALL", direct},
        {WORD(then), "stop, reset or menu, after the last suite", then},
        {WORD(screen), "all or none of the text, beside the serial line", screen},
        {WORD(clock), "tsc or ticks, what the time is counted by", clock},
        {WORD(unit), "cycles: call a hypervisor's ticks so", unit},
        {WORD(retired), "tsc: call it a counter of retired instructions", config_retired},
        {WORD(platform), "a label", any},
        {WORD(model), "a label", any},
        {WORD(emulator), "a label", any},
};
#define WORDS (sizeof words / sizeof *words)

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
                return words[i].good(words[i].value) ? NULL : words[i].means;
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
