/* current.h - data of the program that runs on the one processor, at absolute addresses: the
 * entries use it before they have a stack. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* Data that the halves read before the full page table is loaded (arch's isolation.c). */
#define SHOWN __attribute__((section(".data.shown")))

extern char boot_stack_top[]; /* top of the kernel's own stack (boot/stack.asm) */
struct thread;                /* thread/thread.h */

extern struct thread *cpu_current; /* NULL while the kernel itself runs */
extern struct thread *threads;     /* list of all threads, ended or not */
extern uintptr_t cpu_stack;        /* top of the kernel stack that entries use */
extern uintptr_t cpu_user_sp;      /* program's stack pointer while an entry has no free register */
extern uint8_t cpu_trusted;        /* 1 while a trusted program is current */
extern bool cpu_quiet;             /* all interrupt lines are masked (machine/quiet.h) */
