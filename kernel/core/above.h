/*
 * above.h - what the core asks of the kernel above it.
 *
 * The core enters and leaves ring 0, and owns the processor, memory and threads. It includes
 * nothing of what uses it: what it cannot know it asks here. A kernel has one such table:
 * unix/program/above.c, for programs with files and signals, or alone/above.c, for one program that
 * has neither.
 */
#ifndef TOLLGATE_CORE_ABOVE_H
#define TOLLGATE_CORE_ABOVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "arch.h"
#include "found.h"
#include "origin.h"

struct area;
struct frame;
struct memory;
struct node;
struct thread;

enum quiet {
        QUIET_OVER,
        QUIET_BEGINS,
        QUIET_ASKED
};
enum file_use {
        FILE_MAPPED, /* one more area has it */
        FILE_UNMAPPED,
        FILE_WRITTEN,
        FILE_EXECUTED, /* the memory executes it; NULL = one memory does so no more */
};
enum said {
        SAID_TEXT,
        SAID_RECORD,
        SAID_RUN_BEGINS,
        SAID_LAST_WORDS
};

struct above {
        /* Threads. Behind struct thread lie so many bytes of theirs, zeroed. */
        size_t thread_bytes;
        bool (*number_taken)(uint32_t tid); /* by something that is no thread */
        void (*make_room)(void);            /* there are THREADS: those that nobody asks for go */
        void (*left)(struct thread *,
                     bool for_good); /* it has ended and gives back; it is no more */
        bool (*wants_signal)(const struct thread *); /* then it does not sleep */

        /* What a fault asks: a program's exception; a page whose file has ended (FAULT_BEYOND), or
         * for which no frame is left; the current thread is to end at once; whether a program
         * explains a fault of the kernel: on a bad stack the frame is that of a stub in its place
         * of calls, which it then no longer is; on its own the thread ends, if it runs a kernel
         * function by name. */
        void (*fault)(unsigned vector, struct frame *);
        void (*page_lost)(struct frame *, enum fault);
        void (*kill)(const char *why) __attribute__((noreturn));
        bool (*explains)(unsigned vector, struct frame *, bool bad_stack);

        /* The machine becomes quiet, or is no more so; or an NMI has come: true = the program that
         * is quiet must end, for which WORK_DEVICE is pending then. */
        bool (*quiet)(enum quiet);

        /* Time: what it is, in 2^-32 s since the boot; alarms have ended by now (alarm_first,
         * thread/schedule.h). */
        uint64_t (*now)(void);
        void (*alarm)(uint64_t now);

        /* Files in a program's memory, and what its programs call. */
        void (*file)(enum file_use, struct node *, struct memory *);
        enum fault (*file_fault)(const struct area *, uintptr_t address, pte_t *entry);
        bool (*map_images)(uintptr_t space, enum origin);

        /* What is said goes to more than the serial line. */
        void (*said)(enum said, const char *text, size_t count);
};
extern const struct above above;

/* The same by name, where it is called in assembly, or where an instruction more would be one more
 * on a path that is measured: every way out whose cpu_work is set (arch/exit.asm), with interrupts
 * off; a page fault that the program's memory knows nothing of; the number of a direct call that no
 * table has; a stub in a program's place of calls wants a frame (entry/site_standard.asm). */
void work_do(struct frame *frame);
void process_page_fault(struct frame *frame, enum fault found);
long missing_call(unsigned long number);
void site_frame(struct frame *frame);

#endif
