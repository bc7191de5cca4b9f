/* config.h - the words of the kernel's command line. */
#pragma once
#include <stdbool.h>

#define CONFIG_TEXT 64
#define CONFIG_LIST 512

struct config {
        char suite[CONFIG_LIST];    /* programs to run: names separated by commas */
        char samples[CONFIG_TEXT];  /* per row */
        char only[CONFIG_TEXT];     /* rows whose id contains this */
        char parts[CONFIG_LIST];    /* sets of parts whose rows programs see */
        char beside[CONFIG_TEXT];   /* "others": checks start programs of all other origins, too */
        char fence[CONFIG_TEXT];    /* "" = the best one that the processor has */
        char align[CONFIG_TEXT];    /* bytes from a line of 64 to each entry behind it */
        char calls[CONFIG_TEXT];    /* "say": prints missing calls that are requested */
        char direct[CONFIG_TEXT];   /* "off": system calls of trusted programs stay SYSCALL */
        char then[CONFIG_TEXT];     /* what follows the last suite: stop, reset or menu */
        char screen[CONFIG_TEXT];   /* output on the screen: all or none */
        char clock[CONFIG_TEXT];    /* "" = the TSC, if it is known to run evenly */
        char unit[CONFIG_TEXT];     /* "cycles": used for a hypervisor's ticks, too */
        char retired[CONFIG_TEXT];  /* "tsc": the TSC counts retired instructions */
        char platform[CONFIG_TEXT]; /* the next three are labels for the run record */
        char model[CONFIG_TEXT];
        char emulator[CONFIG_TEXT];
};
extern struct config config;

/* Reads the line. An unknown or malformed word stops the machine with a message. */
void config_read(const char *line);

/* Whether parts= names a set, given the end of its rows' ids. */
bool config_set_asked(const char *set);
unsigned config_number(const char *value); /* of a word's digits */
