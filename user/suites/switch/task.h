/* task.h - a round trip between two tasks that share all memory. */
#pragma once
#include <stdint.h>

/* <arch>/task.asm. Each switches to a second task, which returns at once. */
void task_software(void); /* all registers saved and loaded, stack and CR3 changed */
void task_hardware(void); /* a far call to the TSS at TASK_SELECTOR; back by IRET */
void task_software_prepare(uintptr_t cr3);
