/*
 * toll.h - Tollgate's own system calls, as programs see them (numbers in sys.def).
 *
 * They are for programs on the command line and their children. execve() drops the right; then all
 * but toll_row, toll_sum and toll_hand return -EPERM. So a person's shell does not have it.
 *
 *   toll_row(index, void *)       a struct toll_row for each row of this program's origin, from 0;
 *                                 -ENOENT past the last; TOLL_CONTROLS a struct toll_control;
 *                                 TOLL_COUNTS a struct toll_counts; TOLL_CYCLES a struct
 *                                 toll_cycles, or -ENOENT if nothing is counted;
 *                                 TOLL_SEEN a struct toll_seen
 *   toll_select(index, flavour)   arms a row, in an enum flavour;
 *                                 TOLL_DEFAULT restores the defaults. Some rows need quiet. An
 *                                 exception's row is armed until the next system call, which only
 *                                 INT 80h can make.
 *   toll_register(on)             the kernel half's stamps go to the probe page, or to the
 *                                 dummy page
 *   toll_quiet(on)                masks interrupts, IF off; or ends that. A program is quiet for
 *                                 3,600 * 10^9 instructions of qemu-icount at most, 72 * 10^9 of
 *                                 Bochs: an hour of the real-time clock (the run record's "quiet",
 *                                 docs/records.md). Then the machine is no longer quiet: the
 *                                 program is killed by SIGSEGV, with a message; the run has failed
 *                                 and is unreadable. This needs an I/O APIC; if there is none,
 *                                 the boot says so
 *   toll_fence(n)                 rewrites all stamps with fence n; -EINVAL if it is not there
 *   toll_align(n)                 as align= (unix/program/align.c). Returns what it was before
 *   toll_part(index, void *)      a struct toll_row for each part that parts= names at a switch.
 *                                 Unless missing, it stands there until the next such call or this
 *                                 program's end. -ENOENT past the last: none stands there
 *   toll_watch(offset)            a hardware breakpoint, hit once, at this offset of the entry
 *                                 text; -1 removes it. Returns the size of that text.
 *   toll_sum(a, b, c, d, e, f)    a + 2b + 3c + 4d + 5e + 6f: checks that arguments arrive, and
 *                                 overwrites all registers and arguments that C lets it
 *   toll_frame(frame)             the caller's registers from this call's frame: a struct
 *                                 toll_frame
 *   toll_iopl(level)              RFLAGS.IOPL of this program, 0 to 2: no privilege, only flags
 *   toll_timer(hertz)             the timer's rate, 19 to 100000
 *   toll_protect(level)           protection from a trusted program without a stack, until this
 *                                 program ends: 0 not at all (amd64: no gate has an IST stack;
 *                                 i386: #DF has a gate instead of its task); 1 half (amd64: #DF
 *                                 alone has an IST stack; i386: the #DF task does not check for the
 *                                 lost interrupt); 2 as usual. -EPERM below 2 from CPL 3
 *   toll_chain(on, chain)         the vectors taken since the last call, if that requested
 *                                 them, as a struct toll_chain unless the pointer is null;
 *                                 `on`: continue recording
 *   toll_remember(on)             sets a mark for the next boot: a trusted program was about to
 *                                 starve unprotected; or clears it. -EBUSY: the CMOS has no room
 *   toll_reentry(way)             amd64: the next #UD is interrupted by another one on the same IST
 *                                 stack, which it keeps (1) or leaves at once (2); 0: returns how
 *                                 many words of its frame changed, and restores the usual gate
 *   toll_checksum()               31 bits of toll/checksum.h: shows changes of the kernel's code,
 *                                 constants, GDT, IDT, control and debug registers
 *   toll_latency(number, void *)  a struct toll_latency of that call, or with TOLL_OF_STRETCH of an
 *                                 enum toll_stretch, in programs of this one's width; with
 *                                 TOLL_OF_TRUSTED in trusted programs. TOLL_BEGIN: counts them
 *                                 from now on, until TOLL_END or the end of this program
 *   toll_clock(step)              makes store `step` of an update of the time page, counted
 *                                 from 0, and returns their number (clock/step.c); -EINVAL if
 *                                 it is not next, or without toll_quiet. TOLL_TICK: the work of
 *                                 the timer's interrupt for the time; TOLL_NO_TICK: nothing,
 *                                 to compare it with
 *   toll_page(what)               an enum toll_page: clears a kernel page, or copies one to
 *                                 another, as a page fault does; or does nothing, to compare it
 *                                 with
 *   toll_key(code)                a scan code (set 1) as if typed: the 8042 interrupts; -ENODEV if
 *                                 there is none
 *   toll_hand(tid, word)          gives the processor and a word of 31 bits to a partner that waits
 *                                 in toll_hand for this one, and waits for the partner's
 *                                 word: its result. If the partner does not wait yet, sleeps until
 *                                 it does. With TOLL_HAND_TAKE for a word it gives none and waits
 *                                 for one. -ESRCH: no such partner; -EINVAL: this thread itself, or
 *                                 no such word; -EPERM: neither parent nor child nor of the same
 *                                 process group; -EDEADLK: both give; -EPIPE: the partner has
 *                                 ended; -EINTR: a signal came first, the word may have been given
 *                                 (if it was not, SA_RESTART makes the call again)
 */
#pragma once
#include <stdint.h>

/* Which copies of a row's two halves are combined. Each half is assembled twice, clean and probed
 * (entry/asm.inc); `timed` is the clean kernel half and the probed user half, with MP1 and MP8. The
 * headline is measured with it, the sections with `probed`. */
enum flavour { FLAVOUR_clean, FLAVOUR_timed, FLAVOUR_probed, FLAVOURS };

/* The result of a row: none; getpid's, from the service routine; or that of any call by its
 * number. */
enum toll_answers { TOLL_ANSWERS_nothing, TOLL_ANSWERS_service, TOLL_ANSWERS_calls };

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
enum { TOLL_CHANGES(TOLL_CHANGE) };

/* Same layout for 32-bit and 64-bit programs. */
struct toll_row {
        char suite[16], id[64], label[8], missing[112], spared[64]; /* missing: "" = the processor
                                                                     * has it; spared: why it needs
                                                                     * no such part, or "" */
        uint64_t clean, timed;            /* both copies of the user half */
        uint32_t entry[2], entry_size[2]; /* kernel half, clean and probed: offset in the entry
                                             text, and size */
        uint32_t answers;                 /* enum toll_answers */
        uint32_t quiet;                   /* only while the machine is quiet */
        uint32_t clobbers;                /* TOLL_CHANGES */
        uint32_t uses;                    /* other registers that its halves use and restore */
        uint32_t looks;                   /* checks for pending work on the way out */
        uint32_t vector;                  /* of its INT or exception; 0 = none */
        uint32_t reads_ds;                /* its user half reads memory through DS */
        uint32_t alone;                   /* armed until the next INT 80h */
        uint32_t service; /* its own service routine: offset in the entry text, clean; 0 = the usual
                           * one */
        uint32_t reserved;
};

struct toll_control {
        uint64_t pair[2], loop[2], twice[2]; /* clean, timed */
        uint64_t probe_page;
        uint16_t gate_selector, reserved; /* for the call gate */
        uint32_t service[2], reserved_1;  /* service routines of the user and of this origin, clean:
                                           * offsets in the entry text */
};

struct toll_counts {
        uint32_t ticks, watch_hits, nmis, single_steps; /* the first hit is the boot's; 0 = no
                                                         * breakpoints on this machine */
        uint32_t lost_interrupts; /* acknowledged interrupts found in service after a #DF */
        uint32_t starvations;     /* #DFs of trusted programs without a usable stack (i386) */
        uint32_t watch_flags;     /* at the last hit of toll_watch */
        uint32_t frames, objects; /* free page frames; objects of the kernel's heap in use */
        uint32_t heap_frames;     /* frames in use for heap objects, including free ones */
        uint32_t watch_ax;        /* AX at the last hit of toll_watch: a call's number */
        uint32_t lacks;           /* enum toll_lack: features that failed the boot's trial */
        uint32_t windows;         /* windows in long calls, counted during toll_latency */
};

enum toll_lack {
        TOLL_LACKS_step = 1,        /* RFLAGS.TF */
        TOLL_LACKS_double_fault = 2 /* #DF */
};

/* Totals, 0 if not counted (toll/cycle.h). */
struct toll_cycles {
        uint64_t core, reference, smis, retired;
};

/* r: ax bx cx dx si di bp -, and on amd64 r8 to r15. */
struct toll_frame {
        uint64_t r[16], ip, cs, flags, sp, ss;
};

/* State at the last hit of toll_watch; the last two are 0 until a row with parts was selected. */
struct toll_seen {
        struct toll_frame frame;
        uint64_t cr3, gs_base, spec_ctrl;
};

enum {
        TOLL_WENT_ON,  /* the program continued */
        TOLL_FIXED_UP, /* #DF: resolved as the following vector, its cause */
        TOLL_FOUND,    /* a lost interrupt, found in service and handled */
        TOLL_SIGNAL,   /* a signal is pending */
        TOLL_DEATH
};

#define TOLL_LINKS 8
struct toll_chain {
        uint32_t count, reserved; /* more than TOLL_LINKS: later ones are missing */
        struct {
                uint64_t cr2, ip;
                uint32_t vector, error, end, reserved;
        } link[TOLL_LINKS];
};

struct toll_latency {
        uint32_t calls, reserved; /* number of stretches with interrupts off */
        uint64_t longest;         /* the longest, in counts of the TSC */
};

/* Causes of a stretch besides a call; `end` is a thread's. `kernel` is the idle loop, `switch` is
 * inside a direct call. `quiet` lasts while a program has IF = 0, and has no limit. `unseen` counts
 * stretches whose end was not seen. */
#define TOLL_STRETCH_NAMES(X)                                                                      \
        X(fault) X(exception) X(interrupt) X(end) X(switch) X(kernel) X(quiet) X(unseen)
#define TOLL_STRETCH_NAME(name) TOLL_STRETCH_##name,
enum toll_stretch { TOLL_STRETCH_NAMES(TOLL_STRETCH_NAME) TOLL_STRETCHES };
#define TOLL_OF_STRETCH 0x1000
#define TOLL_OF_TRUSTED 0x2000

enum toll_page { TOLL_PAGE_nothing, TOLL_PAGE_clear, TOLL_PAGE_copy, TOLL_PAGES };

#define TOLL_BEGIN -1
#define TOLL_END -2
#define TOLL_TICK -1
#define TOLL_NO_TICK -2
/* A suite's exit status if nothing failed, but a figure or a control has changed: EX_TEMPFAIL of
 * sysexits.h, which no program returns by chance. */
#define TOLL_NOISY 75

#define TOLL_CONTROLS -1
#define TOLL_COUNTS -2
#define TOLL_CYCLES -3
#define TOLL_SEEN -4
#define TOLL_DEFAULT -1
#define TOLL_HAND_TAKE -1
