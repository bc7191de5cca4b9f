/* addresses.c - reads, writes and executes forbidden addresses; then every page of the kernel. */
#include "attack.h"
#include "attempt.h"
#include "places.h"

#define SWEEP_STEPS 20000

static const struct {
        const char *name;
        uintptr_t address;
} places[] = {
#define PLACE_ENTRY(name, address) {name, address},
        PLACES(PLACE_ENTRY)
#undef PLACE_ENTRY
};

void push_at(uintptr_t), ud2_with_stack_at(uintptr_t); /* stubs.asm */
extern const char touch_read[], touch_write[];         /* touches the address in CX; then UD2 */
static uintptr_t touch_stack[32];

static void read_at(uintptr_t address)
{
        (void)*(volatile char *)address;
}

static void write_at(uintptr_t address)
{
        *(volatile char *)address = 0;
}

static void execute_at(uintptr_t address)
{
        ((void (*)(void))address)();
}

static const struct {
        const char *name;
        void (*go)(uintptr_t);
        unsigned ends;
} deeds[] = {{"read", read_at, SEGV},
             {"write", write_at, SEGV},
             {"execute", execute_at, SEGV},
             {"push", push_at, SEGV | BUS}, /* not canonical: #SS, SIGBUS */
             {"ud2_with_stack", ud2_with_stack_at, ILL}};

/* Pages spread over the kernel's memory, each read and written: each must fault. */
static void sweep(uintptr_t unused)
{
        static const struct {
                const void *code;
                const char *name;
        } touches[] = {{touch_read, "read"}, {touch_write, "written"}};
        uintptr_t step = ((SWEEP_END - SWEEP_START) / SWEEP_STEPS + PAGE) & -(uintptr_t)PAGE;
        if (!on_tollgate || attempt_init())
                not_here();
        for (uintptr_t address = SWEEP_START; address < SWEEP_END; address += step) {
                for (unsigned i = 0; i < 2; i++) {
                        uintptr_t at;
                        struct attempt registers = {.r = {[REG_CX] = address}};
                        registers.r[REG_SP] = (uintptr_t)(touch_stack + 16);
                        unsigned signal = attempt(touches[i].code, &registers, &at);
                        if (signal != SIGSEGV)
                                wrong("%p can be %s", (void *)address, touches[i].name);
                }
        }
}

#define DEEDS (sizeof deeds / sizeof *deeds)
#define PLACES_COUNT (sizeof places / sizeof *places)

static unsigned count(void)
{
        return PLACES_COUNT * DEEDS + 1;
}

static void at(unsigned i, struct attack *attack, char name[ATTACK_NAME])
{
        if (i == PLACES_COUNT * DEEDS) {
                *attack = (struct attack){"address/sweep", LIVES, sweep, 0};
                return;
        }
        unsigned deed = i % DEEDS, place = i / DEEDS;
        snprintf(name, ATTACK_NAME, "address/%s/%s", deeds[deed].name, places[place].name);
        *attack = (struct attack){name, deeds[deed].ends, deeds[deed].go, places[place].address};
}

const struct row addresses_row = {.name = "addresses", .at = at, .whole = count};
