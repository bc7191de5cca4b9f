/* undefined.c - called by gcc's checks for undefined behaviour (-fsanitize=undefined).
 *
 * The names and the first argument are the compiler's (gcc/ubsan.cc): a structure that begins with
 * the source location. */
#include "sanitize/sanitize.h"

struct place {
        const char *file;
        uint32_t line, column;
};

#define HANDLER(name, what)                                                                        \
        void name(const struct place *at);                                                         \
        void name(const struct place *at)                                                          \
        {                                                                                          \
                panic(CALLER, "%s:%u: " what, at->file, at->line);                                 \
        }
HANDLER(__ubsan_handle_add_overflow, "a sum overflows")
HANDLER(__ubsan_handle_sub_overflow, "a difference overflows")
HANDLER(__ubsan_handle_mul_overflow, "a product overflows")
HANDLER(__ubsan_handle_negate_overflow, "a negation overflows")
HANDLER(__ubsan_handle_divrem_overflow, "a division by 0, or one that overflows")
HANDLER(__ubsan_handle_shift_out_of_bounds, "a shift by too many bits, or of a negative number")
HANDLER(__ubsan_handle_out_of_bounds, "an index is outside of its array")
HANDLER(__ubsan_handle_pointer_overflow, "a pointer overflows")
HANDLER(__ubsan_handle_vla_bound_not_positive, "an array of no elements")
HANDLER(__ubsan_handle_load_invalid_value, "a bool or an enum has a value that is none of its")
HANDLER(__ubsan_handle_nonnull_arg, "an argument is NULL that must not be")
HANDLER(__ubsan_handle_invalid_builtin, "the zero bits of 0 are counted")
HANDLER(__ubsan_handle_builtin_unreachable, "code runs that cannot be reached")

/* An object is NULL, misaligned or too short for its type. A program's address may be anything, as
 * its accesses have fix-ups (thread/user.h). A NULL of the kernel's own is a page fault anyway. */
void __ubsan_handle_type_mismatch_v1(const struct place *at, uintptr_t pointer);
void __ubsan_handle_type_mismatch_v1(const struct place *at, uintptr_t pointer)
{
        if (pointer >= KERNEL_BASE)
                panic(CALLER, "%s:%u: an object is not aligned, or too short", at->file, at->line);
}
