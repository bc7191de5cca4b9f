/* user.c - copies between the kernel and a program. Each is checked against the thread's limit, and
 * a fault becomes an error code. No other file can copy a program's memory. */
#include "thread/user.h"

/* EFAULT is decided here: beyond the limit, or an unresolved page fault. */
int user_read(void *to, uintptr_t from, size_t size)
{
        return !user_inside(from, size) || user_copy(to, (const void *)from, size) ? -EFAULT : 0;
}

int user_write(uintptr_t to, const void *from, size_t size)
{
        return !user_inside(to, size) || user_copy((void *)to, from, size) ? -EFAULT : 0;
}

int user_read_code(void *to, uintptr_t from, size_t size)
{
        return user_copy(to, (const void *)from, size) ? -EFAULT : 0;
}

int user_get_words(uintptr_t *to, uintptr_t from, unsigned count)
{
        unsigned width = program_word();
        for (unsigned i = 0; i < count; i++) {
                to[i] = 0;
                if (user_read(&to[i], user_element(from, i, width), width))
                        return -EFAULT;
        }
        return 0;
}

int user_put_words(uintptr_t to, const uintptr_t *from, unsigned count)
{
        unsigned width = program_word();
        for (unsigned i = 0; i < count; i++)
                if (user_write(user_element(to, i, width), &from[i], width))
                        return -EFAULT;
        return 0;
}
