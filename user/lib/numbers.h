/* numbers.h - system-call numbers of the compiled width (Linux's tables). */
#pragma once
enum {
#define SERVICE_CALL CALL
#define FRAME_CALL CALL
#define CALL32(name, number) NUMBER_##name = sizeof(void *) == 8 ? -1 : (number),
#define CALL64(name, number) NUMBER_##name = sizeof(void *) == 8 ? (number) : -1,
#define CALL(name, i386, amd64) NUMBER_##name = sizeof(void *) == 8 ? (amd64) : (i386),
#include "sys.def"
#undef CALL
#undef CALL64
#undef CALL32
#undef FRAME_CALL
#undef SERVICE_CALL
        /* The call behind the libc function of that name: i386 has older ones, too. */
        LIBC_mmap = sizeof(void *) == 8 ? NUMBER_mmap : NUMBER_mmap2,
        LIBC_stat = sizeof(void *) == 8 ? NUMBER_stat : NUMBER_stat64,
        LIBC_lstat = sizeof(void *) == 8 ? NUMBER_lstat : NUMBER_lstat64,
        LIBC_fstat = sizeof(void *) == 8 ? NUMBER_fstat : NUMBER_fstat64,
        LIBC_geteuid = sizeof(void *) == 8 ? NUMBER_geteuid : NUMBER_geteuid32,
};
