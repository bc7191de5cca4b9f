/* promises.c - checks inside of a variant, row by row, which only the kernel can do: the flags
 * during the service routine, the check for pending work (or none), the complete frame, and all
 * registers after a service routine that overwrites everything C allows. contract.c checks the
 * caller's side.
 *
 * Anything dropped from an entry fails here, for every row that promises it (entry/entry.def). */
#include "beside.h"
#include "const.h"
#include "layout.h"
#include "own.h"
#include "registers.h"
#include "signals.h"

#define ARITHMETIC 0x8d5 /* CF PF AF ZF SF OF */
#define CALLER_LEFT (RFLAGS_DF | RFLAGS_NT | RFLAGS_AC)
#define NEAR 256 /* distance from the program's half and its stack */

static struct toll_control control;
static long pid;
static unsigned handled;
static struct sigcontext context;

static void handler(int signal, struct siginfo *info, struct ucontext *uc)
{
        handled++;
        context = uc->context;
}

static bool is(const struct toll_row *row, const char *part)
{
        return strstr(row->id, part);
}

/* A function call, not a gate. */
static bool is_direct(const struct toll_row *row)
{
        return is(row, "/call/") || is(row, "/samestack/") || is(row, "/site/");
}

/* It uses the table of calls. */
static bool dispatches(const struct toll_row *row)
{
        return row->answers == TOLL_ANSWERS_calls;
}

static bool has_smap(void)
{
        uint32_t ax = 0, bx, cx = 0, dx;
        __asm__ volatile("cpuid" : "+a"(ax), "=b"(bx), "+c"(cx), "=d"(dx));
        if (ax < 7)
                return false;
        ax = 7;
        cx = 0;
        __asm__ volatile("cpuid" : "+a"(ax), "=b"(bx), "+c"(cx), "=d"(dx));
        return bx >> 20 & 1;
}

/* Program flags that the row's service routine must not see (docs/mechanism.md, "What an entry
 * owes"). int/service and the short direct calls clean only flags that the processor cleans. */
static uintptr_t cleaned(const struct toll_row *row)
{
        if (is_direct(row))
                return row->looks || dispatches(row) ? RFLAGS_DF : 0;
        uintptr_t flags = RFLAGS_IF | RFLAGS_TF | RFLAGS_NT;
        if (!row->vector) /* INT keeps these three */
                return flags | RFLAGS_DF | RFLAGS_AC | RFLAGS_IOPL;
        if (dispatches(row))
                flags |= RFLAGS_DF | (has_smap() ? RFLAGS_AC : 0);
        return flags;
}

/* Registers, as bits, that differ in a program's frame, because the entry uses them itself, before
 * (arch's user halves) or after. */
static unsigned used(const struct toll_row *row)
{
        return registers_of(row->clobbers | row->uses);
}

static void fill(struct registers *r, long number)
{
        for (int i = 0; i < REGISTERS; i++)
                r->r[i] = (uintptr_t)0xfedcba9876543210ull * (unsigned)(2 * i + 3);
        r->r[REG_AX] = (uintptr_t)number;
        r->r[REG_FLAGS] = RFLAGS_FIXED | RFLAGS_IF | RFLAGS_CF;
}

static void argument(struct registers *r, int n, uintptr_t value)
{
        static const int wide[] = {REG_DI, REG_SI, REG_DX, 10};
        static const int narrow[] = {REG_BX, REG_CX, REG_DX, REG_SI};
        r->r[WIDE ? wide[n] : narrow[n]] = value;
}

static void call(const struct toll_row *row, struct registers *r)
{
        registers_call((const void *)(uintptr_t)row->clean, r);
}

static unsigned differ(const uintptr_t *a, const uintptr_t *b)
{
        unsigned bits = 0;
        for (int i = REG_BX; i < REGISTERS; i++)
                if (i != REG_FLAGS && a[i] != b[i])
                        bits |= 1u << i;
        return bits;
}

/* The service routine is the user's copy or this origin's (entry/service.asm), depending on the
 * row. The row is armed, and interrupts are on if it allows them. */
static void try_flags(const struct toll_row *row)
{
        for (int copy = 0; copy < 2; copy++) {
                uint32_t before = counts_now().watch_hits;
                struct registers r;
                fill(&r, NUMBER_getpid);
                r.r[REG_FLAGS] |= CALLER_LEFT | 2 << 12; /* IOPL */
                uintptr_t left = r.r[REG_FLAGS];
                toll_call(NUMBER_toll_watch, row->service ? row->service : control.service[copy]);
                call(row, &r);
                toll_call(NUMBER_toll_watch, -1);
                struct toll_counts now = counts_now();
                if (now.watch_hits == before)
                        continue;
                uintptr_t seen = now.watch_flags & cleaned(row);
                uintptr_t lost = row->quiet ? 0 : (r.r[REG_FLAGS] ^ left) & RFLAGS_IF;
                char flags[NAMES_SIZE];
                check(!seen && !lost, row->id,
                      "the service routine sees %s of the program's; interrupts %s",
                      flags_named(flags, sizeof flags, seen), lost ? "off behind it" : "as before");
                return;
        }
        check(false, row->id, "its service routine was not reached");
}

/* A row without the check leaves a signal pending; another row of the mechanism delivers it. */
static bool pend(const struct toll_row *helper)
{
        struct registers r;
        fill(&r, NUMBER_kill);
        argument(&r, 0, (uintptr_t)pid);
        argument(&r, 1, SIGUSR1);
        handled = 0;
        call(helper, &r);
        return !r.r[REG_AX] && !handled;
}

/* Uses a row without the check, so that a signal that is pending and now ignored is found later. */
static long act(const struct toll_row *helper, const struct sigaction *to, struct sigaction *was)
{
        struct registers r;
        fill(&r, NUMBER_rt_sigaction);
        argument(&r, 0, SIGUSR1);
        argument(&r, 1, (uintptr_t)to);
        argument(&r, 2, (uintptr_t)was);
        argument(&r, 3, sizeof to->mask);
        call(helper, &r);
        return (long)r.r[REG_AX];
}

/* standard: the handler has run when the call returns, and had the complete frame. nowork: it has
 * not run. */
static void try_work(const struct toll_row *row, const struct toll_row *helper)
{
        struct registers r, was;
        uintptr_t found[REGISTERS];
        char own[OWN_NAMES_SIZE];
        own_load();
        bool looks = row->looks, pending = pend(helper);
        fill(&r, NUMBER_getpid);
        was = r;
        call(row, &r);
        bool seen = handled;
        own_changed(own, sizeof own); /* by INT 80h, which checks for work */
        check(pending && seen == looks && handled == 1 && (long)r.r[REG_AX] == pid, row->id,
              "a signal is %spending; seen %s, %u in all", pending ? "" : "not ",
              seen ? "by this call" : "later", handled);
        unsigned changed = differ(r.r, was.r) & ~used(row);
        char names[NAMES_SIZE];
        check(!changed && !strcmp(own, "nothing"), row->id,
              "registers behind a handler: %s changed, beside them %s",
              registers_named(names, sizeof names, changed), own);
        if (!looks)
                return;
        context_registers(&context, found);
        unsigned wrong = differ(found, was.r) & ~used(row);
        bool places = context.ip - row->clean < NEAR && (uintptr_t)&r - context.sp < 16 * NEAR;
        check(!wrong && places && (long)context.ax == pid, row->id,
              "the frame of a handler: %s wrong, ip %lx, sp %lx, result %ld",
              registers_named(names, sizeof names, wrong), (unsigned long)context.ip,
              (unsigned long)context.sp, (long)context.ax);
}

/* Registers, as bits, that have changed and hold a kernel address in ring 3. */
static unsigned leaked(const struct toll_row *row, const uintptr_t *r, unsigned changed)
{
        unsigned found = 0;
        for (int i = REG_BX; i < REGISTERS && row->id[0] != 't'; i++)
                if (i != REG_FLAGS && r[i] >= KERNEL_BASE && r[i] - GATE_PAGE >= 2 * PAGE_SIZE)
                        found |= 1u << i;
        return found & changed;
}

/* The slow exit without work, because the signal is now ignored: so no signal frame restores
 * registers that this exit loses. */
static void try_slow(const struct toll_row *row, const struct toll_row *helper)
{
        static const struct sigaction ignored = {.handler = SIG_IGN};
        char own[OWN_NAMES_SIZE], names[NAMES_SIZE];
        struct sigaction usual;
        struct registers r, was;
        own_load();
        bool pending = pend(helper) && !act(helper, &ignored, &usual);
        fill(&r, NUMBER_getpid);
        was = r;
        call(row, &r);
        unsigned changed = differ(r.r, was.r);
        changed = (changed & ~used(row)) | leaked(row, r.r, changed);
        own_changed(own, sizeof own);
        check(pending && !handled && !changed && !strcmp(own, "nothing") &&
                      !act(helper, &usual, NULL),
              row->id, "behind the slow way out: %s changed or leaked, beside them %s",
              registers_named(names, sizeof names, changed), own);
}

/* A call that uses its caller's frame finds all of it. */
static void try_frame(const struct toll_row *row)
{
        struct toll_frame frame = {0};
        struct registers r, was;
        uintptr_t found[REGISTERS];
        fill(&r, NUMBER_toll_frame);
        argument(&r, 0, (uintptr_t)&frame);
        was = r;
        call(row, &r);
        for (int i = 0; i < REGISTERS; i++)
                found[i] = (uintptr_t)frame.r[i];
        unsigned wrong = differ(found, was.r) & ~used(row);
        bool places = frame.ip - row->clean < NEAR && (uintptr_t)&r - frame.sp < 16 * NEAR;
        uintptr_t cs;
        __asm__("mov %%cs, %0" : "=r"(cs));
        char names[NAMES_SIZE];
        check(!r.r[REG_AX] && !wrong && places && frame.cs == cs, row->id,
              "the frame of a call: %ld, %s wrong, ip %lx, sp %lx, cs %lx", (long)r.r[REG_AX],
              registers_named(names, sizeof names, wrong), (unsigned long)frame.ip,
              (unsigned long)frame.sp, (unsigned long)frame.cs);
}

/* toll_sum overwrites the registers and arguments that C allows. */
static void try_spoiled(const struct toll_row *row)
{
        struct registers r, was;
        fill(&r, NUMBER_toll_sum);
        was = r;
        call(row, &r);
        unsigned changed = differ(r.r, was.r) & ~(WIDE ? used(row) : 0);
        char names[NAMES_SIZE];
        check(!changed, row->id, "registers that a service spoils: %s changed",
              registers_named(names, sizeof names, changed));
}

/* The kernel's string instructions use ES, which i386 must load. */
static void try_null_es(int index, const struct toll_row *row)
{
        struct toll_row same = {0};
        long result = null_es_call((const void *)(uintptr_t)row->clean, NUMBER_toll_row,
                                   (long)index, &same);
        check(!result && (WIDE || !strcmp(same.id, row->id)), row->id, "null es: %ld", result);
}

static void arm(long index)
{
        toll_call(NUMBER_toll_select, index, FLAVOUR_clean);
}

static void try_row(int index, const struct toll_row *row)
{
        struct toll_row helper;
        long other = row_find(is(row, "/callgate/") ? "/int/nowork" : "/callgate/nowork", &helper);
        toll_call(NUMBER_toll_quiet, row->quiet);
        toll_call(NUMBER_toll_iopl, 2);
        arm(index);
        if (row->answers && cleaned(row))
                try_flags(row);
        toll_call(NUMBER_toll_iopl, 0);
        if (dispatches(row) || row->looks) {
                toll_call(NUMBER_toll_quiet, 1);
                arm(other);
                arm(index);
                try_work(row, &helper);
                arm(other);
                arm(index);
                try_slow(row, &helper);
        }
        if (dispatches(row)) {
                try_frame(row);
                try_spoiled(row);
                try_null_es(index, row);
        }
        toll_call(NUMBER_toll_quiet, 0);
        toll_call(NUMBER_toll_select, TOLL_DEFAULT);
}

int main(int argc, char **argv)
{
        beside_begin(argv);
        output_through(toll_call);
        const char *only = option(argv, "only");
        struct toll_row row;
        pid = toll_call(NUMBER_getpid);
        toll_call(NUMBER_toll_row, TOLL_CONTROLS, &control);
        signal_act(SIGUSR1, handler, SA_SIGINFO, 0);
        for (int i = 0; !toll_call(NUMBER_toll_row, i, &row); i++)
                if (!row.missing[0] && !strcmp(row.suite, "toll") && (!only || is(&row, only)))
                        try_row(i, &row);
        beside_end();
        return check_status();
}
