/* choice.c - another run: the same suites as GRUB's menu has. */
#include "menu.h"

static const struct choice {
        char key;
        const char *words, *means;
} choices[] = {
        {'a', /* the first: choice_was_all() */
         "suite=toll,exceptions,faults,usystime,calls,switch,spawn,around,starve,ladder,files,"
         "kinds,copy,html,vsyscall only=",
         "everything but share and latency"},
        {'t', "suite=toll only=", "toll: every way in, from every origin"},
        {'e', "suite=exceptions only=", "exceptions: through every kind of gate"},
        {'f', "suite=faults only=", "faults: page faults that are resolved, and signals"},
        {'u', "suite=usystime only=", "usystime: Rubini's best of N"},
        {'g', "suite=calls only=", "calls: getpid, getppid, reads, as programs of Linux make them"},
        {'w', "suite=switch only=", "switch: messages, task switches, CR3"},
        {'p', "suite=spawn only=", "spawn: fork, and exec, to the end of wait"},
        {'z', "suite=around only=", "around: the same paths under other conditions, and the worst"},
        {'s', "suite=starve only=", "starve: a stack taken away in ring 0, and survived"},
        {'l', "suite=ladder only=", "ladder: an empty read, step by step"},
        {'i', "suite=files only=", "files: an empty read of every kind of file"},
        {'k', "suite=kinds only=", "kinds: reads and writes of the other kinds of file"},
        {'m', "suite=html only=", "html: a parser in ring 3 and in the kernel"},
        {'c', "suite=copy only=", "copy: what a byte costs"},
        {'v', "suite=vsyscall only=", "vsyscall: the time, by function and by call"},
        {'h', "suite=share only=", "share: a busy program beside another one, and ^C (minutes)"},
        {'y', "suite=latency only=", "latency: the longest stretch of each call"},
        {'n', "suite=starve only=unprotected", "starve unprotected: this resets the machine"},
};
#define CHOICES (sizeof choices / sizeof *choices)

/* Of the words of its run the last suite= counts. */
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
