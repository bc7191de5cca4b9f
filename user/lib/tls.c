/* tls.c - the segment register that a libc uses for thread-local memory. */
#include "tls.h"
#include "linux.h"

bool tls_point(const void *base)
{
        if (sizeof(void *) == 8)
                return !system_call(NUMBER_arch_prctl, ARCH_SET_FS, base);
        struct user_desc own = {(uint32_t)-1, (uint32_t)(uintptr_t)base, 0xfffff, USER_DESC_FLAT};
        if (system_call(NUMBER_set_thread_area, &own))
                return false;
        __asm__ volatile("mov %0, %%gs" : : "r"(own.entry << 3 | 3));
        return true;
}

uintptr_t tls_word(void)
{
        uintptr_t word;
        if (sizeof(void *) == 8)
                __asm__ volatile("mov %%fs:0, %0" : "=r"(word));
        else
                __asm__ volatile("mov %%gs:0, %0" : "=r"(word));
        return word;
}
