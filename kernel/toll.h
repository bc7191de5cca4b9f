/*
 * toll.h - Tollgate's own system calls, as programs see them (numbers in sys.def).
 *
 * They are for the programs that the command line names and what these fork; execve() drops the
 * right, and then all but toll_row, toll_sum and toll_hand are -EPERM. So no person's shell has it.
 *
 *   toll_row(index, void *)       a struct toll_row for each row of this program's origin, from 0;
 *                                 -ENOENT past the last; TOLL_CONTROLS a struct toll_control;
 *                                 TOLL_COUNTS a struct toll_counts; TOLL_CYCLES a struct
 *                                 toll_cycles, or -ENOENT where nothing of it is counted;
 *                                 TOLL_SEEN a struct toll_seen
 *   toll_select(index, flavour)   arms a row, in an enum flavour;
 *                                 TOLL_DEFAULT the defaults again. Some rows need quiet. An
 *                                 exception's row lasts until the next system call, which only
 *                                 INT 80h can make.
 *   toll_register(on)             the kernel half's stamps come to the probe page, or go to the
 *                                 dummy page
 *   toll_quiet(on)                interrupts masked and IF off, or on again. A program is quiet for
 *                                 3,600 * 10^9 instructions of qemu-icount at most, 72 * 10^9 of
 *                                 Bochs: an hour of the real-time clock (the run record's "quiet",
 *                                 docs/records.md). Then the machine is no longer quiet: the
 *                                 program is killed by SIGSEGV, with a sentence, the run has failed
 *                                 and is unreadable. So it needs an I/O APIC; where there is none,
 *                                 the boot says so
 *   toll_fence(n)                 rewrites all stamps with fence n (entry.h); -EINVAL if the
 *                                 processor lacks it
 *   toll_watch(offset)            a hardware breakpoint, hit once, at this offset of the entry
 *                                 text; -1 takes it off. Returns the size of that text.
 *   toll_sum(a, b, c, d, e, f)    a + 2b + 3c + 4d + 5e + 6f: whether every argument arrives; all
 *                                 that C lets it spoil, it spoils: registers, and its arguments
 *   toll_frame(frame)             the caller's registers as this call's frame has them: a struct
 *                                 toll_frame
 *   toll_iopl(level)              RFLAGS.IOPL of this program, 0 to 2: no privilege, only flags
 *   toll_timer(hertz)             the timer's rate, 19 to 100000
 *   toll_protect(level)           how far a trusted program without a stack is survived, until this
 *                                 program ends: 0 not at all (amd64: no gate has an IST stack;
 *                                 i386: #DF has a gate instead of its task); 1 half (amd64: #DF
 *                                 alone has an IST stack; i386: the #DF task does not look for the
 *                                 interrupt that was lost); 2 as ever. -EPERM below 2 from CPL 3
 *   toll_chain(on, chain)         the vectors that were taken since the last call, if that asked
 *                                 for it, as a struct toll_chain unless the pointer is null;
 *                                 whether to go on recording
 *   toll_remember(on)             what the next boot is to say: that a trusted program was about to
 *                                 starve unprotected; or no longer. -EBUSY: the CMOS has no room
 *   toll_reentry(way)             amd64: the next #UD is interrupted by another one on the same IST
 *                                 stack, which it keeps (1) or leaves at once (2); 0: how many
 *                                 words of its frame that has changed, and the usual gate again
 *   toll_checksum()               31 bits of toll/checksum.h: whether the kernel's code, constants,
 *                                 GDT, IDT, control and debug registers are what they were
 *   toll_latency(number, void *)  a struct toll_latency of that call, or with TOLL_OF_STRETCH of an
 *                                 enum toll_stretch, in programs of this one's width; with
 *                                 TOLL_OF_TRUSTED in trusted programs. TOLL_BEGIN: they are counted
 *                                 from here on, until TOLL_END or until this program ends
 *   toll_clock(step)              makes store `step` of an update of the page of the time, counted
 *                                 from 0, and returns how many there are (clock/step.h); -EINVAL if
 *                                 it is not its turn, or without toll_quiet. TOLL_TICK: all that
 *                                 the timer's interrupt does about the time; TOLL_NO_TICK: nothing,
 *                                 to compare it with
 *   toll_page(what)               an enum toll_page: a page of the kernel's is cleared, or copied
 *                                 from another, as a page fault does it; or nothing, to compare it
 *                                 with
 *   toll_next(words)              the words (kernel/config.h) of the run that begins when this
 *                                 program, the menu, has ended; -EINVAL: they are not understood
 *   toll_key(code)                a scan code (set 1) as if typed: the 8042 interrupts; -ENODEV if
 *                                 there is none
 *   toll_hand(tid, word)          gives the processor and a word of 31 bits to a partner that waits
 *                                 in toll_hand for this one, and waits for the word that comes
 *                                 back: its result. If the partner does not wait yet, sleeps until
 *                                 it does. With TOLL_HAND_TAKE for a word it gives none and waits
 *                                 for one. -ESRCH: no such partner; -EINVAL: this thread itself, or
 *                                 no such word; -EPERM: neither parent nor child nor of the same
 *                                 process group; -EDEADLK: both give; -EPIPE: the partner has
 *                                 ended; -EINTR: a signal came first, the word may have been given
 *                                 (if it was not, SA_RESTART makes the call again)
 */
#ifndef TOLLGATE_TOLL_H
#define TOLLGATE_TOLL_H

#include <stdint.h>

/* Which copies of a row's halves meet. Each half is assembled twice, clean and probed
 * (entry/asm.inc); `timed` is the clean kernel half and the probed user half, with MP1 and MP8. The
 * headline is taken on it, the sections on `probed`. */
enum flavour {
        FLAVOUR_clean,
        FLAVOUR_timed,
        FLAVOUR_probed,
        FLAVOURS
};

/* The result of a row: none; the service routine's, which is getpid's; or that of the call with the
 * given number. */
enum toll_answers {
        TOLL_ANSWERS_nothing,
        TOLL_ANSWERS_service,
        TOLL_ANSWERS_calls
};

/* TOLL_CHANGES(X) - what a row may change besides its result: X(name, bit). Registers have the
 * processor's number (SDM 2A, "REX Prefixes"); ARITHMETIC are CF PF AF ZF SF OF, and DF is clear;
 * FLAGS are all flags. */
#define TOLL_CHANGES(X)                                                                            \
        X(CX, 1)                                                                                   \
        X(DX, 2)                                                                                   \
        X(BX, 3)                                                                                   \
        X(BP, 5)                                                                                   \
        X(SI, 6)                                                                                   \
        X(DI, 7)                                                                                   \
        X(R8, 8)                                                                                   \
        X(R9, 9)                                                                                   \
        X(R10, 10)                                                                                 \
        X(R11, 11) X(R12, 12) X(R13, 13) X(R14, 14) X(R15, 15) X(ARITHMETIC, 16) X(FLAGS, 17)
#define TOLL_CHANGE(name, bit) TOLL_##name = 1 << (bit),
enum {
        TOLL_CHANGES(TOLL_CHANGE)
};

/* The same layout for programs of 32 and 64 bits. */
struct toll_row {
        char suite[16], id[64], label[8], missing[112], spared[64]; /* missing: "" = this
                                             processor has it; spared: "", or why it needs no such
                                             part */
        uint64_t clean, timed;            /* the two copies of the user half */
        uint32_t entry[2], entry_size[2]; /* kernel half, clean and probed: offset in the entry
                                             text, and size */
        uint32_t answers;                 /* enum toll_answers */
        uint32_t quiet;                   /* it can be selected only while the machine is quiet */
        uint32_t clobbers;                /* TOLL_CHANGES */
        uint32_t uses;                    /* registers that its halves use besides, and restore */
        uint32_t looks;                   /* for pending work, on the way out */
        uint32_t vector;                  /* of its INT or its exception; 0 = it has none */
        uint32_t reads_ds;                /* its user half reads memory through DS */
        uint32_t alone;                   /* it lasts until the next INT 80h */
        uint32_t service; /* offset in the entry text of its own service routine, clean; 0 = the
                             usual one */
        uint32_t reserved;
};

struct toll_control {
        uint64_t pair[2], loop[2], twice[2]; /* clean, timed */
        uint64_t probe_page;
        uint16_t gate_selector, reserved; /* of the call gate */
        uint32_t service[2], reserved_1;  /* the user's service routine and this origin's, clean:
                                             offset in the entry text */
};

struct toll_counts {
        uint32_t ticks, watch_hits, nmis, single_steps; /* the first hit is the boot's own; 0 = this
                                                           machine has no breakpoints */
        uint32_t lost_interrupts; /* acknowledged, and found in service after a #DF */
        uint32_t starvations;     /* #DFs of trusted programs that had no stack (i386) */
        uint32_t watch_flags;     /* at the last hit of toll_watch */
        uint32_t frames, objects; /* free page frames; objects of the kernel's heap in use */
        uint32_t heap_frames;     /* that the heap has cut into objects, and keeps */
        uint32_t watch_ax;        /* AX at the last hit of toll_watch: the number of a call */
        uint32_t lacks;           /* enum toll_lack: features that the boot has tried and not
                                   * found */
        uint32_t windows;         /* for interrupts in long calls, while toll_latency counted */
};

enum toll_lack {
        TOLL_LACKS_step = 1,        /* RFLAGS.TF */
        TOLL_LACKS_double_fault = 2 /* #DF */
};

/* So far, 0 where nothing counts it (toll/cycle.h). */
struct toll_cycles {
        uint64_t core, reference, smis, retired;
};

/* r: ax bx cx dx si di bp -, and of amd64 r8 to r15. */
struct toll_frame {
        uint64_t r[16], ip, cs, flags, sp, ss;
};

/* At the last hit of toll_watch; the last two are 0 while no row with parts has been selected. */
struct toll_seen {
        struct toll_frame frame;
        uint64_t cr3, gs_base, spec_ctrl;
};

enum {
        TOLL_WENT_ON,  /* the program, where it was */
        TOLL_FIXED_UP, /* #DF: taken as the next link, which it had begun with */
        TOLL_FOUND,    /* an interrupt that was lost, found in service and run */
        TOLL_SIGNAL,   /* one is pending */
        TOLL_DEATH
};

#define TOLL_LINKS 8
struct toll_chain {
        uint32_t count, reserved; /* more than TOLL_LINKS: the later ones are not here */
        struct {
                uint64_t cr2, ip;
                uint32_t vector, error, end, reserved;
        } link[TOLL_LINKS];
};

struct toll_latency {
        uint32_t calls, reserved; /* how many stretches with interrupts off */
        uint64_t longest;         /* of them, in counts of the TSC */
};

/* Causes of a stretch besides a call; `end` is that of a thread. `kernel` is the idle loop,
 * `switch` is in a direct call. `quiet` is from where a program has IF = 0 to where it has IF = 1
 * again: no bound holds for it. `unseen` counts stretches of which the end was not seen. */
#define TOLL_STRETCH_NAMES(X)                                                                      \
        X(fault) X(exception) X(interrupt) X(end) X(switch) X(kernel) X(quiet) X(unseen)
#define TOLL_STRETCH_NAME(name) TOLL_STRETCH_##name,
enum toll_stretch {
        TOLL_STRETCH_NAMES(TOLL_STRETCH_NAME) TOLL_STRETCHES
};
#define TOLL_OF_STRETCH 0x1000
#define TOLL_OF_TRUSTED 0x2000

enum toll_page {
        TOLL_PAGE_nothing,
        TOLL_PAGE_clear,
        TOLL_PAGE_copy,
        TOLL_PAGES
};

#define TOLL_BEGIN -1
#define TOLL_END -2
#define TOLL_TICK -1
#define TOLL_NO_TICK -2
/* A suite's exit status when nothing has failed, and a figure or a control has moved: EX_TEMPFAIL
 * of sysexits.h, which no program has by chance. */
#define TOLL_NOISY 75

#define TOLL_CONTROLS -1
#define TOLL_COUNTS -2
#define TOLL_CYCLES -3
#define TOLL_SEEN -4
#define TOLL_DEFAULT -1
#define TOLL_HAND_TAKE -1

#endif
