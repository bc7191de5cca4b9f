/* try.c - one try: a bad stack, an event, and a check of everything that must not change. */
#include "starve.h"
#include "signals.h"

#define PROGRAM_FLAGS 0xcd5 /* CF PF AF ZF SF DF OF */
#define ALTERNATE_STACK 16384
#define APIC_ID 0x20
#define ICR_HIGH (APIC_ICR + 0x10)

void starve_push(void), starve_call(void), starve_store(void), starve_interrupt(void),
        starve_nmi(void), starve_step(void);

const struct way ways[] = {
        {"push", starve_push, 1, false},   {"call", starve_call, 1, false},
        {"store", starve_store, 0, false}, {"interrupt", starve_interrupt, 0, true},
        {"nmi", starve_nmi, 0, true},      {"step", starve_step, 0, false}};
const unsigned way_count = sizeof ways / sizeof *ways;

/* Linux's result for each. Events that push nothing on that stack (amd64: an IST; from CPL 3, the
 * kernel's stack; i386: the tasks of NMI and #DB) do not affect the program. But on i386 the return
 * from a handler to a trusted program needs three words of it. */
unsigned end_expected(const struct way *way, const struct stack *stack)
{
        bool own =
                way->code == starve_push || way->code == starve_call || way->code == starve_store;
        if (stack->fixed_up)
                return 0;
        if (own)
                return !strcmp(stack->name, "non-canonical") ? SIGBUS : SIGSEGV;
        return trusted && !WIDE && way->code != starve_nmi ? SIGSEGV : 0;
}

volatile uint32_t *apic(unsigned offset)
{
        return (volatile uint32_t *)(uintptr_t)(APIC_PAGE + offset);
}

const char *way_missing(const struct way *way)
{
        struct toll_row row;
        if (trusted && counts_now().lacks & TOLL_LACKS_double_fault)
                return NO_DOUBLE_FAULT;
        if (way->code == starve_step && counts_now().lacks & TOLL_LACKS_step)
                return "no single steps: TF raises no #DB here";
        if (way->code != starve_nmi)
                return NULL;
        for (int i = 0; !toll_call(NUMBER_toll_row, i, &row); i++) {
                if (!strstr(row.id, "/selfint/") || !row.missing[0])
                        continue;
                static char reason[sizeof row.missing];
                memcpy(reason, row.missing, sizeof reason);
                return reason;
        }
        return NULL;
}

volatile unsigned try_signal;
static volatile unsigned steps;
static uint8_t alternate[ALTERNATE_STACK] __attribute__((aligned(PAGE_SIZE)));

static void handler(int signal, struct siginfo *info, struct ucontext *context)
{
        if (signal == SIGTRAP) {
                steps++;
                context->context.flags &= ~(uintptr_t)RFLAGS_TF;
                return;
        }
        try_signal = (unsigned)signal;
        context->context.ip = (uintptr_t)starve_back;
        context->context.sp = starve_sp;
        context->context.flags = RFLAGS_FIXED | RFLAGS_IF;
}

static void set_alternate(unsigned flags)
{
        const struct sigaltstack stack = {(uintptr_t)alternate, flags, sizeof alternate};
        sigaltstack(&stack, NULL);
}

void try_init(void)
{
        static const int signals[] = {SIGSEGV, SIGBUS, SIGTRAP};
        memset(alternate, 0, sizeof alternate);
        set_alternate(0);
        for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++)
                signal_act(signals[i], (const void *)handler, SA_SIGINFO | SA_ONSTACK | SA_NODEFER,
                           0);
}

static uintptr_t pattern(unsigned reg, unsigned i)
{
        return (uintptr_t)0x0123456789abcdefull * (reg + 3) + i;
}

static void prepare(const struct way *way, uintptr_t sp, unsigned i)
{
        for (unsigned reg = 0; reg < REGISTERS; reg++)
                starve_in[reg] = pattern(reg, i);
        uintptr_t flags = RFLAGS_FIXED | (i % 2 ? 0 : PROGRAM_FLAGS);
        starve_in[REG_FLAGS] = flags | (way->privileged ? 0 : RFLAGS_IF);
        starve_in[REG_SP] = sp;
        starve_step_flags = starve_in[REG_FLAGS] | RFLAGS_TF;
        starve_way = (uintptr_t)way->code;
        if (way->code == starve_nmi) {
                starve_in[REG_BP] = (uintptr_t)apic(APIC_ICR);
                *apic(ICR_HIGH) = *apic(APIC_ID); /* the id is in the highest byte of both */
        }
        memset(starve_out, 0, sizeof starve_out);
        try_signal = steps = 0;
}

static const char *registers_differ(const struct way *way)
{
        static char text[60];
        for (unsigned reg = 0; reg < STARVE_REGISTERS; reg++) {
                uintptr_t is = starve_out[reg], was = starve_in[reg];
                if (reg == REG_SP)
                        was -= way->pushes * sizeof(uintptr_t);
                if (is == was)
                        continue;
                snprintf(text, sizeof text, "register %u is %lx, was %lx", reg, (unsigned long)is,
                         (unsigned long)was);
                return text;
        }
        return NULL;
}

/* The page has its old contents plus the stored data. Bytes directly below the stack pointer may
 * change, except amd64's red zone. */
static const char *memory_differs(const struct way *way, const struct stack *stack, uintptr_t sp)
{
        const uintptr_t *page = (const uintptr_t *)(sp - PAGE_SIZE);
        unsigned end = PAGE_SIZE / sizeof *page;
        unsigned stored = way->pushes ? end - 1 : end - STORE_BELOW / sizeof *page;
        unsigned spoilt = WIDE ? end : end - 8, changed = 0;
        uintptr_t value = way->code == starve_call    ? (uintptr_t)starve_called
                          : way->code == starve_push  ? starve_in[REG_AX]
                          : way->code == starve_store ? starve_in[REG_AX]
                                                      : stack->word;
        if (page[stored] != value)
                return "what was stored is not there";
        for (unsigned i = 0; i < spoilt; i++)
                changed += i != stored && page[i] != stack->word;
        return changed ? "other words of the page have changed" : NULL;
}

unsigned try_ticks;

/*
 * A tick that arrives with IF off may be over when IF is on again, because the timer's output falls
 * before it rises: then the 8259 has a spurious interrupt, with nothing in service. Directly after
 * a tick there is time to reach HLT before the next. A pending one arrives before this HLT, and
 * does not end it. IF is restored.
 */
static void wait_for_tick(void)
{
        __asm__ volatile("pushf; sti; nop; hlt; popf" : : : "memory");
        try_ticks = counts_now().ticks;
}

const char *try_once(const struct way *way, const struct stack *stack, unsigned i)
{
        uintptr_t sp = stack->make(i);
        prepare(way, sp, i);
        if (way->code == starve_interrupt)
                wait_for_tick();
        if (i == CHAINED)
                chain_start();
        starve_go();
        if (i == CHAINED)
                chain_stop();
        unsigned end = end_expected(way, stack);
        if (try_signal != end && !(end == SIGBUS && try_signal == SIGSEGV)) /* QEMU: #GP, not #SS */
                return try_signal ? "another signal" : "no signal";
        if (way->code == starve_step && steps != 1)
                return "no single step";
        if (try_signal)
                return NULL;
        const char *wrong = registers_differ(way);
        return wrong || !stack->fixed_up ? wrong : memory_differs(way, stack, sp);
}

static const struct way *fpu_way;
static const struct stack *fpu_stack;
static const char *fpu_wrong;

static void try_between(void)
{
        fpu_wrong = try_once(fpu_way, fpu_stack, 0);
}

/* AMD's FXSAVE and FXRSTOR skip the last instruction's opcode and pointers while no exception is
 * pending (APM 2, "FXSAVE and FXRSTOR Instructions"): they may be another thread's. */
static bool fpu_differs(const uint8_t *before, const uint8_t *after)
{
        return memcmp(before, after, 6) || memcmp(before + 24, after + 24, 416 - 24);
}

const char *try_with_fpu(const struct way *way, const struct stack *stack)
{
        static uint8_t before[512] __attribute__((aligned(16)));
        static uint8_t after[512] __attribute__((aligned(16)));
        if (!has_fxsr())
                return try_once(way, stack, 0);
        fpu_way = way;
        fpu_stack = stack;
        memset(before, 0, sizeof before);
        memset(after, 0, sizeof after);
        fpu_call((const void *)try_between, 0, before, after);
        return fpu_wrong ? fpu_wrong : fpu_differs(before, after) ? "the FPU's state" : NULL;
}

unsigned die_alone(const struct way *way, const struct stack *stack, unsigned i)
{
        int status = 0;
        long child = fork();
        if (!child) {
                set_alternate(SS_DISABLE);
                try_once(way, stack, i);
                exit_group(0);
        }
        wait4(child, &status, 0, NULL);
        return (unsigned)status & 0x7f;
}
