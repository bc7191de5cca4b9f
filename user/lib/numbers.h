/* numbers.h - system-call numbers of the width this is compiled for (Linux's tables). */
#ifndef TOLLGATE_NUMBERS_H
#define TOLLGATE_NUMBERS_H

enum {
#define FRAME_CALL CALL
#define CALL(name, i386, amd64) NUMBER_##name = sizeof(void *) == 8 ? (amd64) : (i386),
#define CALL32(name, i386) NUMBER_##name = (i386),
#include "proc/sys.def"
#undef CALL
#undef CALL32
#undef FRAME_CALL
        NUMBER_getpid = sizeof(void *) == 8 ? 39 : 20,
};

#endif
