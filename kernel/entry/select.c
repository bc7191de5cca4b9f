/* select.c - arms the rows that a process has chosen. */
#include "cpu/cpu.h"
#include "cpu/descriptor.h"
#include "cpu/protect.h"
#include "dev/apic.h"
#include "entry/entry.h"
#include "entry/entry.def"
#include "entry/exception.def"
#include "lib/string.h"
#include "origins.h"
#include "proc/process.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

#define DECLARE_ROW(origin, mechanism, variant, label, manual)                                     \
        extern const char clean_##origin##_##mechanism##_##variant##_entry[],                      \
                probed_##origin##_##mechanism##_##variant##_entry[],                               \
                clean_##origin##_##mechanism##_##variant##_call[],                                 \
                probed_##origin##_##mechanism##_##variant##_call[];
#define DECLARE_EXCEPTION(origin, mechanism, variant, half, vector, label, manual)                 \
        extern const char clean_##origin##_##mechanism##_##half##_entry[],                         \
                probed_##origin##_##mechanism##_##half##_entry[],                                  \
                clean_##origin##_##mechanism##_call[], probed_##origin##_##mechanism##_call[];
#define DECLARE_ORIGIN(origin, value)                                                              \
        ENTRY_TABLE_##origin(DECLARE_ROW) EXCEPTION_TABLE_##origin(                                \
                DECLARE_EXCEPTION) extern const char clean_##origin##_pair_call[],                 \
                probed_##origin##_pair_call[], clean_##origin##_loop_call[],                       \
                probed_##origin##_loop_call[];
ORIGINS(DECLARE_ORIGIN)

#define VALUE_OF_ORIGIN(o, value) ORIGIN_OF_##o = value,
enum {
        ORIGINS(VALUE_OF_ORIGIN)
};

#define DEFINE_ROW(o, m, v, label, manual)                                                         \
        {"toll",                                                                                   \
         #o "/" #m "/" #v,                                                                         \
         label,                                                                                    \
         MECHANISM_##m,                                                                            \
         VARIANT_##v,                                                                              \
         (enum origin)ORIGIN_OF_##o,                                                               \
         {clean_##o##_##m##_##v##_entry, probed_##o##_##m##_##v##_entry},                          \
         {clean_##o##_##m##_##v##_call, probed_##o##_##m##_##v##_call},                            \
         0},
#define DEFINE_EXCEPTION(o, m, v, half, vector, label, manual)                                     \
        {"exceptions",                                                                             \
         #o "/" #m "/" #v,                                                                         \
         label,                                                                                    \
         MECHANISM_exception,                                                                      \
         VARIANT_##v,                                                                              \
         (enum origin)ORIGIN_OF_##o,                                                               \
         {clean_##o##_##m##_##half##_entry, probed_##o##_##m##_##half##_entry},                    \
         {clean_##o##_##m##_call, probed_##o##_##m##_call},                                        \
         vector},
#define DEFINE_ORIGIN(origin, value)                                                               \
        ENTRY_TABLE_##origin(DEFINE_ROW) EXCEPTION_TABLE_##origin(DEFINE_EXCEPTION)
static const struct row rows[] = {ORIGINS(DEFINE_ORIGIN)};

#define DEFINE_CONTROL(o, value)                                                                   \
        {value,                                                                                    \
         {clean_##o##_pair_call, probed_##o##_pair_call},                                          \
         {clean_##o##_loop_call, probed_##o##_loop_call}},
static const struct control controls[] = {ORIGINS(DEFINE_CONTROL)};

static const char *const mechanism_names[MECHANISMS] = {"int",  "callgate",  "sysenter", "syscall",
                                                        "call", "samestack", "exception"};

/* Where SYSEXIT leads, for each user half that has a landing (sysenter.asm, LANDING). */
extern const struct landing {
        const void *call, *landing;
} landings[], landings_end[];

extern const char entry_end[], entry_again[];
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

bool row_needs_quiet(const struct row *row)
{
        return !row_answers(row) || row->mechanism == MECHANISM_samestack;
}

const char *row_missing(const struct row *row)
{
        return row->vector == VECTOR_SELF
                       ? apic_missing()
                       : mechanism_missing(mechanism_names[row->mechanism], row->origin);
}

static const struct row *standard_row(enum mechanism mechanism, enum origin origin)
{
        for (size_t i = 0; i < COUNT(rows); i++)
                if (rows[i].mechanism == mechanism && rows[i].origin == origin &&
                    rows[i].variant == VARIANT_standard)
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

/* INT 80h is always a system call; of 81h to 83h only the selected one can be used. */
static void arm_int(struct selection s, bool chosen)
{
        (void)chosen;
        bool trusted = s.row->origin == ORIGIN_TRUSTED;
        descriptor_set_int(VECTOR_INT80,
                           standard_row(MECHANISM_int, s.row->origin)->entry[FLAVOUR_plain],
                           trusted);
        for (unsigned vector = VECTOR_INT80 + 1; vector <= VECTOR_INT80 + VARIANT_bare; vector++)
                descriptor_clear_int(vector);
        descriptor_set_int(VECTOR_INT80 + s.row->variant, entry_of(s), trusted);
}

static void arm_callgate(struct selection s, bool chosen)
{
        (void)chosen;
        descriptor_set_callgate(entry_of(s));
}

static void arm_sysenter(struct selection s, bool chosen)
{
        (void)chosen;
        if (row_missing(s.row))
                return;
        cpu_sysenter = true;
        msr_write(IA32_SYSENTER_CS, KERNEL_CS);
        msr_write(IA32_SYSENTER_ESP, cpu_stack);
        msr_write(IA32_SYSENTER_EIP, (uintptr_t)entry_of(s));
        const void *call = s.row->call[s.flavour != FLAVOUR_plain];
        for (const struct landing *l = landings; l < landings_end; l++)
                if (l->call == call)
                        cpu_landing = (uintptr_t)l->landing;
}

static void arm_syscall(struct selection s, bool chosen)
{
        syscall_arm(row_missing(s.row) ? NULL : entry_of(s), s.row->origin, chosen);
}

static void arm_call(struct selection s, bool chosen)
{
        (void)chosen;
        cpu_direct = (uintptr_t)entry_of(s);
}

/* An odd gate for one vector, which the kernel's own faults would take too: so every way into the
 * kernel is shut while it is there, but INT 80h, which takes it away and is taken again. */
static void arm_exception(struct selection s, bool chosen)
{
        (void)chosen;
        descriptor_set_exception(s.row->vector, s.row->variant, entry_of(s));
        descriptor_set_int(VECTOR_INT80, entry_again, s.row->origin == ORIGIN_TRUSTED);
        descriptor_set_callgate(NULL);
        syscall_arm(NULL, s.row->origin, false);
        if (feature_has(FEATURE_SEP))
                msr_write(IA32_SYSENTER_CS, 0);
}

void entry_disarm_exception(void)
{
        cpu_current->armed[MECHANISM_exception].row = NULL;
        entry_arm(cpu_current);
}

/* The other pointer's place: only when it is chosen. */
static void arm_samestack(struct selection s, bool chosen)
{
        if (chosen)
                arm_call(s, chosen);
}

void entry_arm(const struct thread *thread)
{
        descriptor_clear_exception();
        static void (*const arm[MECHANISMS])(struct selection, bool) = {
                arm_int,  arm_callgate,  arm_sysenter, arm_syscall,
                arm_call, arm_samestack, arm_exception};
        for (enum mechanism m = 0; m < MECHANISMS; m++) {
                struct selection s = thread->armed[m];
                bool chosen = s.row;
                if (!chosen)
                        s = (struct selection){standard_row(m, thread->origin), FLAVOUR_plain};
                if (s.row) /* not every origin has every mechanism */
                        arm[m](s, chosen);
        }
}
