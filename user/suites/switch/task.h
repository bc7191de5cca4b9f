/* task.h - there and back between two tasks that share all memory. */
#ifndef TOLLGATE_USER_SUITES_SWITCH_TASK_H
#define TOLLGATE_USER_SUITES_SWITCH_TASK_H

#include <stdint.h>

/* <arch>/task.asm. Each goes to a second task, which comes straight back. */
void task_software(void); /* all registers saved and loaded, stack and CR3 changed */
void task_hardware(void); /* a far call to the TSS at TASK_SELECTOR; back by IRET */
void task_software_prepare(uintptr_t cr3);

#endif
