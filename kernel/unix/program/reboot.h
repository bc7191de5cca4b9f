/* reboot.h - a person's choice after this run. */
#ifndef TOLLGATE_UNIX_PROGRAM_REBOOT_H
#define TOLLGATE_UNIX_PROGRAM_REBOOT_H

#define RUN_NEXT 512
extern char run_next[RUN_NEXT]; /* words for the next run (kernel/config.h); "" = none */

#endif
