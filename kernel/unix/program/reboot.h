/* reboot.h - a person's choice for after this run. */
#ifndef TOLLGATE_UNIX_PROGRAM_REBOOT_H
#define TOLLGATE_UNIX_PROGRAM_REBOOT_H

#define RUN_NEXT 512
extern char run_next[RUN_NEXT]; /* the words of the next run (kernel/config.h); "" = none */

#endif
