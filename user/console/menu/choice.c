/* choice.c - choosing another run: the same suites and keys as in GRUB's menu. */
#include "menu.h"

static const struct choice {
        char key;
        const char *words, *means;
} choices[] = {
#include "choices.def" /* tools/tollgate/suite_lists.py; the first is everything: choice_was_all() */
        {'s', "suite=starve only=unprotected", "starve unprotected: this resets the machine"},
};
#define CHOICES (sizeof choices / sizeof *choices)

/* The last suite= on the line counts. */
bool choice_was_all(void)
{
        static char words[2048];
        const char *run = record_next(NULL, "run"), *all = choices[0].words, *was = "";
        if (run)
                record_text(run, "cmdline", words, sizeof words);
        for (const char *at = words; (at = strstr(at, "suite=")); at++)
                was = at;
        while (*all == *was && *all && *all != ' ')
                all++, was++;
        return *all == ' ' && (!*was || *was == ' ');
}

bool choice_ask(void)
{
        page_begin();
        page_title(" Another run");
        page_line(" ");
        for (size_t i = 0; i < CHOICES; i++)
                page_line("   %c   %s", choices[i].key, choices[i].means);
        page_last(" the key of a suite runs it; any other key: back");
        int key = key_wait(-1);
        for (size_t i = 0; i < CHOICES; i++)
                if (choices[i].key == key)
                        return !toll_call(NUMBER_toll_next, choices[i].words);
        return false;
}
