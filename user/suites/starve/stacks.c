/* stacks.c - bad stack pointers, where no exception's frame fits, and how they are fixed up. */
#include "starve.h"
#include "linux.h"

#define COPIES 256 /* pages that a child shares, for as many tries */
#define PATTERN ((uintptr_t)0x0f1e2d3c4b5a6978ull)
#define TEXT (KERNEL_BASE + 0x110000)
#define STACK_PITCH (STACK_SIZE + PAGE_SIZE)
#define STACKS 64 /* guard pages of the stacks of tasks, IST and processes */

static uintptr_t below_stack, anonymous, copies, read_only;
static long keeper;

static uintptr_t map(size_t size, int protection)
{
        return (uintptr_t)mmap(0, size, protection, MAP_PRIVATE | MAP_ANONYMOUS);
}

void stacks_init(void)
{
        uintptr_t here = (uintptr_t)__builtin_frame_address(0);
        below_stack = (here & ~(uintptr_t)(PAGE_SIZE - 1)) - 16 * PAGE_SIZE;
        anonymous = map(2 * PAGE_SIZE, PROT_READ | PROT_WRITE);
        *(volatile char *)(anonymous + PAGE_SIZE) = 1; /* so that their page table stays */
        copies = map(COPIES * PAGE_SIZE, PROT_READ | PROT_WRITE);
        read_only = map(PAGE_SIZE, PROT_READ);
}

static uintptr_t emptied(uintptr_t page)
{
        madvise(page, PAGE_SIZE, MADV_DONTNEED);
        return page + PAGE_SIZE;
}

static uintptr_t one_page_short(unsigned i)
{
        return emptied(below_stack);
}

static uintptr_t demand_zero(unsigned i)
{
        return emptied(anonymous);
}

void stacks_end(void)
{
        if (keeper > 0) {
                kill(keeper, SIGKILL);
                wait4(keeper, NULL, 0, NULL);
        }
        keeper = 0;
}

/* The child sleeps, and holds the pages that it shares with us. */
static uintptr_t copy_on_write(unsigned i)
{
        if (i % COPIES == 0) {
                stacks_end();
                for (uintptr_t *word = (uintptr_t *)copies;
                     word < (uintptr_t *)(copies + COPIES * PAGE_SIZE); word++)
                        *word = PATTERN;
                keeper = fork();
                while (!keeper)
                        pause();
        }
        return copies + (i % COPIES + 1) * PAGE_SIZE;
}

static uintptr_t hole(unsigned i)
{
        return NOWHERE;
}

static uintptr_t unwritable(unsigned i)
{
        return read_only + PAGE_SIZE;
}

static uintptr_t not_canonical(unsigned i)
{
        return (uintptr_t)HALF_WAY + PAGE_SIZE;
}

static uintptr_t guard_page(unsigned i)
{
        return WINDOW_BASE + i % STACKS * STACK_PITCH + PAGE_SIZE;
}

static uintptr_t page_0(unsigned i)
{
        return PAGE_SIZE;
}

static uintptr_t kernel_text(unsigned i)
{
        return TEXT;
}

const struct stack stacks[] = {{"one page short", one_page_short, false, true, 0},
                               {"demand-zero", demand_zero, false, true, 0},
                               {"copy-on-write", copy_on_write, false, true, PATTERN},
                               {"unmapped", hole, false, false, 0},
                               {"read-only", unwritable, false, false, 0},
                               {"non-canonical", not_canonical, true, false, 0},
                               {"guard page", guard_page, false, false, 0},
                               {"page 0", page_0, false, false, 0},
                               {"kernel text", kernel_text, false, false, 0}};
const unsigned stack_count = sizeof stacks / sizeof *stacks;

const struct stack *stack_named(const char *name)
{
        for (unsigned i = 0; i < stack_count; i++)
                if (!strcmp(stacks[i].name, name))
                        return &stacks[i];
        return NULL;
}
