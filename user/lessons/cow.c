/* cow.c - two processes share a page until one of them writes, for the lessons on memory. */
#include "const.h"
#include "lib.h"
#include "linux.h"

static uint8_t shared_page[PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));

void store(volatile uint8_t *at, uint8_t value);

__attribute__((noinline)) void store(volatile uint8_t *at, uint8_t value)
{
        *at = value;
}

int main(void)
{
        store(shared_page, 1);
        long other = fork();
        if (!other) {
                store(shared_page, 2);
                exit_group(0);
        }
        wait4(other, NULL, 0, NULL);
        store(shared_page, 3);
        return 0;
}
