/*
 * select.c - arms the rows that a process has chosen, and shuts all other ways in.
 *
 * rows.def is what the build makes of mechanism.def, entry.def and exception.def for this kernel:
 * a ROW for each id, a GATE for each kind of gate (tools/rows.awk).
 */
#include "cpu/cpu.h"
#include "cpu/descriptor.h"
#include "cpu/msr.h"
#include "cpu/protect.h"
#include "dev/apic.h"
#include "entry/entry.h"
#include "entry/quirks.h"
#include "lib/string.h"
#include "origins.h"
#include "proc/thread.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The words of the tables' last columns. */
#define TOLL_CHANGE_HERE(name, bit) name = TOLL_##name,
enum {
        TOLL_CHANGES(TOLL_CHANGE_HERE)
};
#define NEEDS(bit) .needs = 1u << FEATURE_##bit,
#define MISSING(function) .missing = function,
#define CLOBBERS_64(set) .clobbers_64 = set,
#define CLOBBERS_32(set) .clobbers_32 = set,
#define USES_64(set) .uses_64 = set,
#define USES_32(set) .uses_32 = set,
#define LOOKS .looks = true,
#define READS_DS .reads_ds = true,
#define QUIET .quiet = true,
#define ALONE .alone = true,
#define VECTOR(n) .vector = n,
#define ONLY(origins)

#define MECHANISM(...)
#define BESIDE(...)
#define VARIANT(name, says, ...)                                                                   \
        static const struct variant variant_##name = {.answers = TOLL_ANSWERS_##says, __VA_ARGS__};
#include "entry/mechanism.def"
#define GATE(name, half, setter)                                                                   \
        static const struct variant variant_##name = {                                             \
                .answers = TOLL_ANSWERS_nothing, .quiet = true, .set_gate = setter};
#include "rows.def"

#define ROW(suite, origin, mechanism, way, variant, half, user_half, label, more)                  \
        extern const char clean_##origin##_##half##_entry[], probed_##origin##_##half##_entry[],   \
                clean_##origin##_##user_half##_call[], probed_##origin##_##user_half##_call[];
#include "rows.def"
#define DECLARE_CONTROL(origin, value)                                                             \
        extern const char clean_##origin##_pair_call[], probed_##origin##_pair_call[],             \
                clean_##origin##_loop_call[], probed_##origin##_loop_call[],                       \
                clean_##origin##_twice_call[], probed_##origin##_twice_call[];
ORIGINS(DECLARE_CONTROL)

#define VALUE_OF_ORIGIN(o, value) ORIGIN_OF_##o = value,
enum {
        ORIGINS(VALUE_OF_ORIGIN)
};

static const struct row rows[] = {
#define ROW(suite_name, o, m, way, v, half, user_half, paper, more)                                \
        {.suite = #suite_name,                                                                     \
         .id = #o "/" #way "/" #v,                                                                 \
         .label = paper,                                                                           \
         .mechanism = MECHANISM_##m,                                                               \
         .variant = &variant_##v,                                                                  \
         .origin = (enum origin)ORIGIN_OF_##o,                                                     \
         .entry = {clean_##o##_##half##_entry, probed_##o##_##half##_entry},                       \
         .call = {clean_##o##_##user_half##_call, probed_##o##_##user_half##_call},                \
         more},
#include "rows.def"
};

#define DEFINE_CONTROL(o, value)                                                                   \
        {value,                                                                                    \
         {clean_##o##_pair_call, probed_##o##_pair_call},                                          \
         {clean_##o##_loop_call, probed_##o##_loop_call},                                          \
         {clean_##o##_twice_call, probed_##o##_twice_call}},
static const struct control controls[] = {ORIGINS(DEFINE_CONTROL)};

/* Where SYSEXIT leads, for each user half that has a landing (sysenter.asm, LANDING). */
extern const struct landing {
        const void *call, *landing;
} landings[], landings_end[];

extern const char entry_end[], entry_again[], clean_trusted_call_shut[];
bool cpu_sysenter;
uintptr_t cpu_landing;
uintptr_t cpu_direct; /* the kernel half that trusted programs call */

const struct row *row_at(enum origin origin, size_t index)
{
        for (size_t i = 0; i < COUNT(rows); i++)
                if (rows[i].origin == origin && index-- == 0)
                        return &rows[i];
        return NULL;
}

const char *row_entry_end(const char *entry)
{
        const char *end = entry_end;
        for (size_t i = 0; i < 2 * COUNT(rows); i++) {
                const char *other = rows[i / 2].entry[i % 2];
                if (other > entry && other < end)
                        end = other;
        }
        return end;
}

const struct control *control_of(enum origin origin)
{
        for (size_t i = 0; i < COUNT(controls); i++)
                if (controls[i].origin == origin)
                        return &controls[i];
        return NULL;
}

static const struct row *standard_row(enum mechanism mechanism, enum origin origin)
{
        for (size_t i = 0; i < COUNT(rows); i++)
                if (rows[i].mechanism == mechanism && rows[i].origin == origin &&
                    rows[i].variant == &variant_standard)
                        return &rows[i];
        return NULL;
}

const struct row *row_preferred(enum origin origin)
{
        const struct row *direct = standard_row(MECHANISM_call, origin);
        return direct ? direct : standard_row(MECHANISM_int, origin);
}

static const void *entry_of(struct selection s)
{
        return s.row->entry[s.flavour == FLAVOUR_probed];
}

/* An INT of this mechanism is #GP again, whichever row it belongs to. */
static void shut_vectors(enum mechanism mechanism, enum origin origin)
{
        (void)origin;
        for (size_t i = 0; i < COUNT(rows); i++)
                if (rows[i].mechanism == mechanism && rows[i].vector)
                        descriptor_clear_int(rows[i].vector);
}

/* INT 80h is always a system call; of the others only the selected one can be used. */
static void arm_int(struct selection s, bool chosen)
{
        (void)chosen;
        bool trusted = s.row->origin == ORIGIN_TRUSTED;
        shut_vectors(MECHANISM_int, s.row->origin);
        descriptor_set_int(VECTOR_INT80, TYPE_INTERRUPT_GATE,
                           standard_row(MECHANISM_int, s.row->origin)->entry[FLAVOUR_clean],
                           trusted);
        descriptor_set_int(s.row->vector, TYPE_INTERRUPT_GATE, entry_of(s), trusted);
}

/* What is armed alone lasts until the next INT 80h, which takes it away and is made again. */
static void shut_int(enum mechanism mechanism, enum origin origin)
{
        shut_vectors(mechanism, origin);
        descriptor_set_int(VECTOR_INT80, TYPE_INTERRUPT_GATE, entry_again,
                           origin == ORIGIN_TRUSTED);
}

static void arm_callgate(struct selection s, bool chosen)
{
        (void)chosen;
        descriptor_set_callgate(entry_of(s));
}

static void shut_callgate(enum mechanism mechanism, enum origin origin)
{
        (void)mechanism, (void)origin;
        descriptor_set_callgate(NULL);
}

static void arm_sysenter(struct selection s, bool chosen)
{
        (void)chosen;
        cpu_sysenter = true;
        msr_write(IA32_SYSENTER_CS, KERNEL_CS);
        msr_write(IA32_SYSENTER_ESP, cpu_stack);
        msr_write(IA32_SYSENTER_EIP, (uintptr_t)entry_of(s));
        const void *call = s.row->call[s.flavour != FLAVOUR_clean];
        for (const struct landing *l = landings; l < landings_end; l++)
                if (l->call == call)
                        cpu_landing = (uintptr_t)l->landing;
}

/* With no segment to go to SYSENTER is #GP. */
static void shut_sysenter(enum mechanism mechanism, enum origin origin)
{
        (void)mechanism, (void)origin;
        if (cpu_sysenter)
                msr_write(IA32_SYSENTER_CS, 0);
}

static void arm_syscall(struct selection s, bool chosen)
{
        syscall_arm(entry_of(s), s.row->origin, chosen);
}

static void shut_syscall(enum mechanism mechanism, enum origin origin)
{
        (void)mechanism;
        syscall_arm(NULL, origin, false);
}

static void arm_call(struct selection s, bool chosen)
{
        (void)chosen;
        cpu_direct = (uintptr_t)entry_of(s);
}

static void shut_call(enum mechanism mechanism, enum origin origin)
{
        (void)mechanism, (void)origin;
        cpu_direct = (uintptr_t)clean_trusted_call_shut;
}

/* Trusted programs call it through the same pointer as the direct call, whose standard row keeps
 * that unless one of these is chosen. */
static void arm_samestack(struct selection s, bool chosen)
{
        if (chosen)
                arm_call(s, chosen);
}

/* An odd gate for one vector, which the kernel's own faults would take too. */
static void arm_exception(struct selection s, bool chosen)
{
        (void)chosen;
        s.row->variant->set_gate(s.row->vector, entry_of(s));
}

static void shut_exception(enum mechanism mechanism, enum origin origin)
{
        (void)mechanism, (void)origin;
        descriptor_clear_odd();
}

static const struct operations {
        void (*arm)(struct selection, bool chosen);
        void (*shut)(enum mechanism, enum origin);
        const char *(*missing)(void);
        uint32_t needs; /* 1 << enum feature */
        uint32_t clobbers_64, clobbers_32, uses_64, uses_32;
        bool reads_ds, quiet, alone;
} operations[MECHANISMS] = {
#define MECHANISM(name, origins, arms, shuts, manual, ...)                                         \
        [MECHANISM_##name] = {.arm = arms, .shut = shuts, __VA_ARGS__},
#define VARIANT(...)
#define BESIDE(...)
#include "entry/mechanism.def"
};

bool row_needs_quiet(const struct row *row)
{
        return row->variant->quiet || operations[row->mechanism].quiet;
}

bool row_is_alone(const struct row *row)
{
        return operations[row->mechanism].alone;
}

bool row_reads_ds(const struct row *row)
{
        return row->reads_ds || operations[row->mechanism].reads_ds;
}

static bool is_wide(const struct row *row)
{
        return mode_of(row->origin) == MODE_64BIT;
}

uint32_t row_clobbers(const struct row *row)
{
        const struct operations *o = &operations[row->mechanism];
        return is_wide(row) ? o->clobbers_64 | row->clobbers_64 : o->clobbers_32 | row->clobbers_32;
}

uint32_t row_uses(const struct row *row)
{
        const struct operations *o = &operations[row->mechanism];
        return is_wide(row) ? o->uses_64 : o->uses_32;
}

const char *row_missing(const struct row *row)
{
        const struct operations *o = &operations[row->mechanism];
        const char *reason = o->missing ? o->missing() : NULL;
        return reason ? reason : mechanism_missing(row->mechanism, o->needs, row->origin);
}

void entry_disarm_alone(void)
{
        for (enum mechanism m = 0; m < MECHANISMS; m++)
                if (operations[m].alone)
                        cpu_current->armed[m].row = NULL;
        entry_arm(cpu_current);
}

/* The mechanism that is to be alone, if the process has chosen one; else MECHANISMS. */
static enum mechanism alone_of(const struct thread *thread)
{
        enum mechanism m = 0;
        while (m < MECHANISMS && !(operations[m].alone && thread->armed[m].row))
                m++;
        return m;
}

/* All is shut first that is not armed afterwards: two may share a place. */
void entry_arm(const struct thread *thread)
{
        enum mechanism alone = alone_of(thread);
        struct selection open[MECHANISMS];
        for (enum mechanism m = 0; m < MECHANISMS; m++) {
                open[m] = thread->armed[m];
                if (!open[m].row)
                        open[m] =
                                (struct selection){standard_row(m, thread->origin), FLAVOUR_clean};
                if (open[m].row &&
                    ((alone != MECHANISMS && alone != m) || row_missing(open[m].row)))
                        open[m].row = NULL; /* nor has every origin every mechanism */
                if (!open[m].row || operations[m].alone)
                        operations[m].shut(m, thread->origin);
        }
        for (enum mechanism m = 0; m < MECHANISMS; m++)
                if (open[m].row)
                        operations[m].arm(open[m], thread->armed[m].row != NULL);
}
