/* images.c - addresses of image.c's images and their tables, from the linker. A file of its own: a
 * compiler that sees them at their use puts them into 32 bits, where they do not fit. */
#include "clock/image.h"
#include "origins.h"

#define DECLARE(name, origin)                                                                      \
        extern struct vdso_mark vdso_##name##_marks[];                                             \
        extern const char vdso_##name##_image[], vdso_##name##_at[], vdso_##name##_clock_at[],     \
                vdso_##name##_fixups[], vdso_##name##_fixups_end[], vdso_##name##_fences[],        \
                vdso_##name##_fences_end[];                                                        \
        extern const char vdso_##name##___kernel_vsyscall[] __attribute__((weak)),                 \
                vdso_##name##___kernel_sigreturn[] __attribute__((weak)),                          \
                vdso_##name##___kernel_rt_sigreturn[] __attribute__((weak));
ORIGINS(DECLARE)

#define DEFINE(name, origin)                                                                       \
        [origin] = {(const uint8_t *)vdso_##name##_image,                                          \
                    vdso_##name##_marks,                                                           \
                    (uintptr_t)vdso_##name##_at,                                                   \
                    (uintptr_t)vdso_##name##_clock_at,                                             \
                    (uintptr_t)vdso_##name##_fixups,                                               \
                    (uintptr_t)vdso_##name##_fixups_end,                                           \
                    (uintptr_t)vdso_##name##_fences,                                               \
                    (uintptr_t)vdso_##name##_fences_end,                                           \
                    (uintptr_t)vdso_##name##___kernel_vsyscall,                                    \
                    {(uintptr_t)vdso_##name##___kernel_sigreturn,                                  \
                     (uintptr_t)vdso_##name##___kernel_rt_sigreturn}},
const struct vdso vdsos[ORIGIN_TRUSTED + 1] = {ORIGINS(DEFINE)};
