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

struct above {
        /* Threads. Behind struct thread lie so many bytes of theirs, zeroed. */
        size_t thread_bytes;
        bool (*number_taken)(uint32_t tid); /* by something that is no thread */
        void (*make_room)(void);            /* there are THREADS: those that nobody asks for go */
        void (*let_go)(struct thread *); /* it has ended: what it holds of theirs is given back */
        void (*forget)(struct thread *); /* it is no more */
        bool (*wants_signal)(const struct thread *); /* then it does not sleep */

        /* What a fault asks: a program's exception; it lies behind the end of a file; no frame is
         * left; the current thread is to end at once; whether it runs a kernel function that it was
         * given by name; whether the frame is that of a stub in a program's place of calls, which
         * it then no longer is. */
        void (*fault)(unsigned vector, struct frame *);
        void (*bus_error)(struct frame *);
        void (*out_of_memory)(void);
        void (*kill)(const char *why) __attribute__((noreturn));
        bool (*runs_by_name)(void);
        bool (*stub_left)(struct frame *);

        /* The machine becomes quiet, or is no more so; and an NMI has come: whether the program
         * that is quiet must end, for which WORK_DEVICE is pending then. */
        void (*quiet)(bool);
        bool (*quiet_ends)(void);

        /* Time: what it is, in 2^-32 s since the boot; a tick of the timer, in its interrupt, with
         * a thread or (NULL) without; alarms have ended by now (alarm_first, thread/schedule.h). */
        uint64_t (*now)(void);
        bool (*is_fine)(void); /* it goes on between two ticks */
        void (*tick)(struct thread *);
        void (*alarm)(uint64_t now);

        /* Files in a program's memory, and its program. */
        void (*file_maps)(struct node *);   /* one more area has it */
        void (*file_unmaps)(struct node *); /* one less */
        void (*file_written)(struct node *);
        enum fault (*file_fault)(const struct area *, uintptr_t address, pte_t *entry);
        void (*executes)(struct memory *, struct node *);
        void (*executed)(struct node *);                  /* no more */
        bool (*map_images)(uintptr_t space, enum origin); /* what its programs call */

        /* What is said goes to more than the serial line: text; a record; a run begins; the last
         * words. And received bytes; and NULL, or why the machine is not switched off. */
        void (*say)(const char *text, size_t count);
        void (*record)(const char *line, size_t count);
        void (*begin)(void);
        void (*last_words)(void);
        void (*typed)(uint8_t byte);
        const char *(*power_off)(void);
};
extern const struct above above;

/* The same where an instruction more would be one more on a path that is measured: by name. What is
 * pending on the way out to a program (cpu/work.h), and a page fault that the program's memory
 * knows nothing of. */
_Noreturn void process_leave(void); /* WORK_EXIT */
_Noreturn void limit_leave(void);   /* WORK_LIMIT */
void signal_deliver(struct frame *frame);
void process_stop(void);
void devices_service(void);
void process_page_fault(struct frame *frame, enum fault found);

/* And what entries call: the answer to a number that no table has; the stack of a program on i386
 * cannot take what a way out writes there (arch/i386/return.asm); a stub in a program's place of
 * calls wants a frame (entry/site_standard.asm). */
long missing_call(unsigned long number);
void process_stack_fault(struct frame *frame);
void site_frame(struct frame *frame);

#endif
