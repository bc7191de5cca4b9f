/* select.c - opens a program's mechanisms: closes all, then arms the rows that it chose, or the
 * standard ones.
 *
 * The build generates rows.def from mechanism.def, entry.def and exception.def for this kernel: a
 * ROW for each id, a GATE for each kind of gate (tools/rows.awk). */
#include "cpu/descriptor.h"
#include "cpu/msr.h"
#include "cpu/protect.h"
#include "machine/apic.h"
#include "entry/entry.h"
#include "entry/site.h"
#include "entry/ways.h"
#include "lib/string.h"
#include "origins.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The words in the tables' last columns. */
#define TOLL_CHANGE_HERE(name, bit) name = TOLL_##name,
enum { TOLL_CHANGES(TOLL_CHANGE_HERE) };
#define NEEDS(bit) .needs = 1u << FEATURE_##bit,
#define MISSING(function) .missing = function,
#define CLOBBERS_64(set) .clobbers_64 = set,
#define CLOBBERS_32(set) .clobbers_32 = set,
#define USES_64(set) .uses_64 = set,
#define USES_32(set) .uses_32 = set,
#define LOOKS .looks = true,
#define READS_DS .reads_ds = true,
#define QUIET .quiet = true,
#define PARTED
#define ALONE .alone = true,
#define VECTOR(n) .vector = n,
#define GETPID .getpid = true,
#define LAZY .prepare = lazy_prepare,
#define ONLY(origins)
#define AS(mechanism)
/* The fields of rows that belong to a set (part.def). */
#define OF_SET(name, bits, without, by_swapgs, by_table)                                           \
        .set = (name), .needs = (bits), .spared = (without), .swaps = (by_swapgs),                 \
        .isolate = (by_table), .prepare = set_prepare,
#define RETURNS_BY(o, name) .service = {clean_##o##_##name##_getpid, probed_##o##_##name##_getpid},

#define MECHANISM(...)
#define BESIDE(...)
#define VARIANT(name, says, ...)                                                                   \
        static const struct variant variant_##name = {.answers = TOLL_ANSWERS_##says, __VA_ARGS__};
#include "entry/mechanism.def"
#define GATE(name, half, setter)                                                                   \
        static const struct variant variant_##name = {                                             \
                .answers = TOLL_ANSWERS_nothing, .quiet = true, .set_gate = setter};
#include "rows.def"

#define RETURNS(origin, set)                                                                       \
        extern void clean_##origin##_##set##_getpid(void), probed_##origin##_##set##_getpid(void);
#define ROW(suite, origin, mechanism, way, variant, set, half, user_half, label, more)             \
        extern const char clean_##origin##_##half##_entry[], probed_##origin##_##half##_entry[],   \
                clean_##origin##_##user_half##_call[], probed_##origin##_##user_half##_call[];
#include "rows.def"
#undef RETURNS
#define RETURNS(...)
#define DECLARE_CONTROL(origin, value)                                                             \
        extern const char clean_##origin##_pair_call[], probed_##origin##_pair_call[],             \
                clean_##origin##_loop_call[], probed_##origin##_loop_call[],                       \
                clean_##origin##_twice_call[], probed_##origin##_twice_call[];
ORIGINS(DECLARE_CONTROL)

#define ORIGIN_ALONE(o, value) value,
#define VALUE_OF_ORIGIN(o, value) ORIGIN_OF_##o = value,
#define HERE(name, is) HERE_##name = is, /* a mechanism that this kernel has */
enum {
        ORIGINS(VALUE_OF_ORIGIN)
#include "rows.def"
};

static const struct row rows[] = {
#define ROW(suite_name, o, m, way, v, set_name, half, user_half, paper, more)                      \
        {.suite = #suite_name,                                                                     \
         .id = #o "/" #way "/" #v set_name,                                                        \
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

/* Where a kernel half returns to if it is not passed, for each of its user halves (.landings). */
extern const struct landing {
        const void *call, *landing;
} landings[], landings_end[];

extern const char entry_end[], entry_again[], clean_trusted_call_shut[];
bool cpu_sysenter;
uintptr_t cpu_landing SHOWN;
uintptr_t cpu_direct; /* the kernel half that trusted programs call */
struct site site_row = {.number = 39 /* amd64's getpid (sys.def) */};

bool (*row_set_asked)(const char *set);

static bool is_there(const struct row *row)
{
        return !row->set || (row_set_asked && row_set_asked(row->set));
}

const struct row *row_at(enum origin origin, size_t index)
{
        for (size_t i = 0; i < COUNT(rows); i++)
                if (rows[i].origin == origin && is_there(&rows[i]) && index-- == 0)
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
                    rows[i].variant == &variant_standard && !rows[i].set)
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

/* INT 80h is always a system call; of the others only the selected one works. */
static void arm_int(struct ways *ways, struct selection s, bool chosen)
{
        descriptor_set_int(&ways->gates, VECTOR_INT80, TYPE_INTERRUPT_GATE,
                           standard_row(MECHANISM_int, s.row->origin)->entry[FLAVOUR_clean]);
        descriptor_set_int(&ways->gates, s.row->vector, TYPE_INTERRUPT_GATE, entry_of(s));
}

static void arm_callgate(struct ways *ways, struct selection s, bool chosen)
{
        descriptor_set_callgate(&ways->gates, entry_of(s));
}

static uintptr_t landing_of(struct selection s)
{
        const void *call = s.row->call[s.flavour != FLAVOUR_clean];
        for (const struct landing *l = landings; l < landings_end; l++)
                if (l->call == call)
                        return (uintptr_t)l->landing;
        return 0;
}

static void arm_sysenter(struct ways *ways, struct selection s, bool chosen)
{
        cpu_sysenter = true;
        ways->sysenter_cs = KERNEL_CS;
        ways->sysenter_ip = (uintptr_t)entry_of(s);
        ways->landing = landing_of(s);
}

static void arm_syscall(struct ways *ways, struct selection s, bool chosen)
{
        syscall_arm(&ways->gates, entry_of(s), s.row->origin, chosen);
}

static void arm_call(struct ways *ways, struct selection s, bool chosen)
{
        ways->direct = (uintptr_t)entry_of(s);
        if (s.row->getpid)
                site_row.back = landing_of(s);
}

/* Trusted programs call it through the same pointer as the direct call. The pointer stays the
 * direct call's standard row unless one of these is chosen. */
static void arm_samestack(struct ways *ways, struct selection s, bool chosen)
{
        if (chosen)
                arm_call(ways, s, chosen);
}

void descriptor_odd_interrupt(struct gates *gates, unsigned vector, const void *entry)
{
        descriptor_odd(gates, vector, TYPE_INTERRUPT_GATE, entry);
}

void descriptor_odd_trap(struct gates *gates, unsigned vector, const void *entry)
{
        descriptor_odd(gates, vector, TYPE_TRAP_GATE, entry);
}

/* A special gate for one vector, which the kernel's own faults would use too. */
static void arm_exception(struct ways *ways, struct selection s, bool chosen)
{
        s.row->variant->set_gate(&ways->gates, s.row->vector, entry_of(s));
}

static const struct operations {
        void (*arm)(struct ways *, struct selection, bool chosen);
        const char *(*missing)(void);
        uint32_t needs; /* 1 << enum feature */
        uint32_t clobbers_64, clobbers_32, uses_64, uses_32;
        bool reads_ds, quiet, alone;
} operations[MECHANISMS] = {
#define MECHANISM(name, origins, arms, manual, ...)                                                \
        [MECHANISM_##name] = {.arm = HERE_##name ? arms : NULL, __VA_ARGS__},
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
        return reason ? reason
                      : mechanism_missing(row->mechanism, o->needs | row->needs, row->origin);
}

/* The mechanism to be armed alone, if any; else MECHANISMS. */
static enum mechanism alone_of(const struct selection armed[MECHANISMS])
{
        enum mechanism m = 0;
        while (m < MECHANISMS && !(operations[m].alone && armed[m].row))
                m++;
        return m;
}

/* Gives the INT vectors, except INT 80h, back to the kernel: programs cannot use them. A row that
 * is armed alone lasts until the next INT 80h, which disarms it and restarts. */
static void shut(struct ways *ways, enum origin origin)
{
        for (size_t i = 0; i < COUNT(rows); i++)
                if (rows[i].vector > VECTOR_INT80)
                        descriptor_usual(&ways->gates, rows[i].vector, rows[i].vector + 1);
        descriptor_set_int(&ways->gates, VECTOR_INT80, TYPE_INTERRUPT_GATE, entry_again);
        memset(&ways->gates.callgate, 0, sizeof ways->gates.callgate);
        syscall_arm(&ways->gates, NULL, origin, false);
        ways->sysenter_cs = 0;
        ways->direct = (uintptr_t)clean_trusted_call_shut;
}

/* Not every origin or processor has every mechanism. */
static void arm(struct ways *ways, enum origin origin, const struct selection armed[MECHANISMS])
{
        enum mechanism alone = alone_of(armed);
        for (enum mechanism m = 0; m < MECHANISMS; m++) {
                struct selection s = armed[m];
                if (!s.row)
                        s = (struct selection){standard_row(m, origin), FLAVOUR_clean};
                if (!s.row || (alone != MECHANISMS && alone != m) || row_missing(s.row))
                        continue;
                if (s.row->prepare)
                        s.row->prepare(s);
                operations[m].arm(ways, s, armed[m].row != NULL);
        }
}

struct ways ways_usual[ORIGINS_MOST];
bool ways_isolated;
static struct ways own SHOWN;

/* A closed SYSENTER keeps its EIP, and gates that programs at CPL 3 cannot reach are left
 * unchanged: neither needs an exchange. */
void ways_init(void)
{
        static const enum origin origins[] = {ORIGINS(ORIGIN_ALONE)};
        static const struct selection nothing[MECHANISMS];
        syscall_init();
        for (size_t i = 0; i < COUNT(origins); i++) {
                struct ways *ways = &ways_usual[origins[i]];
                *ways = ways_usual[ORIGIN_USER];
                ways->gates.trusted = origins[i] == ORIGIN_TRUSTED;
                descriptor_usual(&ways->gates, 0, VECTORS);
                shut(ways, origins[i]);
                arm(ways, origins[i], nothing);
        }
        for (size_t i = 0; i < COUNT(origins); i++)
                ways_usual[origins[i]].direct = ways_usual[ORIGIN_TRUSTED].direct;
        ways_load(&ways_usual[ORIGIN_USER]);
}

void ways_protect(enum protection protection)
{
        cpu_protection = protection;
        for (size_t i = 0; i < ORIGINS_MOST; i++)
                descriptor_usual(&ways_usual[i].gates, 0, VECTOR_INT80);
        if (own.gates.trusted)
                descriptor_usual(&own.gates, 0, VECTOR_INT80);
}

void ways_load(const struct ways *ways)
{
        cpu_trusted = ways->gates.trusted;
        gates_load(&ways->gates);
        cpu_landing = ways->landing;
        cpu_direct = ways->direct;
        if (!cpu_sysenter)
                return;
        msr_write(IA32_SYSENTER_CS, ways->sysenter_cs);
        msr_write(IA32_SYSENTER_EIP, ways->sysenter_ip);
}

struct ways *ways_load_own(enum origin origin, const struct selection *armed)
{
        own = ways_usual[origin];
        own.gates.idtr.base = own.gates.idt;
        shut(&own, origin);
        arm(&own, origin, armed);
        ways_isolated = false;
        for (enum mechanism m = 0; m < MECHANISMS && !ways_isolated; m++)
                if (armed[m].row && armed[m].row->isolate)
                        ways_isolated = armed[m].row->isolate(&own, armed);
        ways_load(&own);
        return &own;
}
