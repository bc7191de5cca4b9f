/* above.h - the functions that the core calls in the kernel above it.
 *
 * The core enters and leaves ring 0, and owns the processor, memory and threads. It includes no
 * header of its users; it calls them through this table. Each kernel has one: unix/program/above.c,
 * for programs with files and signals, or alone/above.c, for one program without either. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "arch.h"
#include "origin.h"

struct area;
struct frame;
struct memory;
struct node;
struct thread;

/* The outcome of a page fault. */
enum fault {
        FAULT_RESOLVED,  /* the instruction can be retried */
        FAULT_UNMAPPED,  /* SEGV_MAPERR */
        FAULT_FORBIDDEN, /* SEGV_ACCERR */
        FAULT_NO_MEMORY,
        FAULT_BEYOND,   /* SIGBUS: beyond the end of the file */
        FAULT_NOT_ASKED /* memory_fault() must still be called, which returns another */
};
enum quiet { QUIET_OVER, QUIET_BEGINS, QUIET_ASKED };
enum file_use {
        FILE_MAPPED,          /* a further area maps it */
        FILE_MAPPED_WRITABLE, /* and it is shared, now or later to be written */
        FILE_UNMAPPED,
        FILE_UNMAPPED_WRITABLE,
        FILE_WRITTEN,
        FILE_EXECUTED, /* the memory maps it executable; NULL: one memory no longer does */
};
enum said { SAID_TEXT, SAID_RECORD, SAID_RUN_BEGINS, SAID_LAST_WORDS };

struct above {
        /* Threads. This many bytes of the upper kernel follow struct thread, zeroed. */
        size_t thread_bytes;
        bool (*number_taken)(uint32_t tid); /* also used by something other than a thread */
        void (*make_room)(void);            /* THREADS: unawaited zombies must be freed */
        void (*left)(struct thread *,
                     bool for_good); /* it ended and frees its resources; it is deleted */
        bool (*wants_signal)(const struct thread *); /* if so, it does not sleep */

        /* Faults: an exception of a program; a page beyond the end of its file (FAULT_BEYOND), or
         * without a free frame; the current thread must end at once. explains_fault: a program
         * caused a fault of the kernel. On a bad stack the frame becomes that of a stub in its call
         * area; on its own stack the thread ends if it is running a kernel function by name. */
        void (*fault)(unsigned vector, struct frame *);
        bool (*page_lost)(struct frame *, enum fault, bool user); /* whether to try again */
        void (*kill)(const char *why) __attribute__((noreturn));
        bool (*explains)(unsigned vector, struct frame *, bool bad_stack);

        /* The machine becomes quiet or stops being so, or an NMI arrived. True: the quiet program
         * must end, and WORK_DEVICE is pending. */
        bool (*quiet)(enum quiet);

        /* Time since the boot in 2^-32 s; alarms that have expired (alarm_first,
         * thread/schedule.h). */
        uint64_t (*now)(void);
        void (*alarm)(uint64_t now);

        /* Files in a program's memory, and the system calls. */
        void (*file)(enum file_use, struct node *, struct memory *);
        enum fault (*file_fault)(const struct area *, uintptr_t address, pte_t *entry);
        bool (*map_images)(uintptr_t space, enum origin);

        /* Output that goes to other places than the serial line, too. */
        void (*said)(enum said, const char *text, size_t count);
};
extern const struct above above;

/* These are called by name: from assembly, or because one more instruction would lengthen a
 * measured path. They are: every exit whose cpu_work is set (arch/exit.asm), with interrupts off; a
 * page fault outside every area; a direct call whose number is in no table; a stub in a program's
 * call area that needs a frame (entry/site_standard.asm). */
void work_do(struct frame *frame);
void process_page_fault(struct frame *frame, enum fault found);
long missing_call(unsigned long number);
void site_frame(struct frame *frame);
