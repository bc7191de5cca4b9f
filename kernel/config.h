/* config.h - the kernel's command line, word by word. */
#ifndef TOLLGATE_CONFIG_H
#define TOLLGATE_CONFIG_H

#include <stdbool.h>

#define CONFIG_TEXT 64
#define CONFIG_LIST 512

struct config {
        char suite[CONFIG_LIST];    /* programs to run, by name, with commas */
        char samples[CONFIG_TEXT];  /* per row */
        char only[CONFIG_TEXT];     /* rows whose id contains this */
        char parts[CONFIG_LIST];    /* sets around an entry whose rows programs see */
        char beside[CONFIG_TEXT];   /* "others": of checks, programs of all other origins */
        char fence[CONFIG_TEXT];    /* "" = the best the processor has */
        char calls[CONFIG_TEXT];    /* "say": those that are asked for and not here */
        char direct[CONFIG_TEXT];   /* "off": system calls of trusted programs stay SYSCALL */
        char then[CONFIG_TEXT];     /* after the last suite: stop, reset or menu */
        char screen[CONFIG_TEXT];   /* what it shows: all or none */
        char clock[CONFIG_TEXT];    /* "" = the TSC, where it is known to run evenly */
        char unit[CONFIG_TEXT];     /* "cycles": a hypervisor's ticks are called so, too */
        char retired[CONFIG_TEXT];  /* "tsc": it is called a counter of retired instructions */
        char platform[CONFIG_TEXT]; /* the next three are labels for the run record */
        char model[CONFIG_TEXT];
        char emulator[CONFIG_TEXT];
};
extern struct config config;

/* Reads the line; refuses an unknown or malformed word in a sentence, and stops. */
void config_read(const char *line);
/* The same for more words, which win. False: one is not understood, and nothing has changed. */
bool config_try(const char *line);

/* Whether parts= names a set, by the end of its rows' ids. */
bool config_set_asked(const char *set);

#endif
