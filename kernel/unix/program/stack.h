/* stack.h - a program's initial stack. */
#pragma once
#include "lib/elf.h"
#include "program/exec.h"

struct memory;

/* Maps and writes it at the end of the program's half. 0 and the stack pointer, or -errno. */
int stack_build(struct memory *memory, const struct elf *elf, const char *path,
                const struct exec_strings *strings, uintptr_t *sp);
