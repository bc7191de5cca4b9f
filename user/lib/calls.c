/* calls.c - the table of system calls, for programs. */
#include "calls.h"
#include "lib.h"

#define SERVICE_CALL CALL
#define FRAME_CALL CALL
#define CALL(name, i386, amd64) {#name, NUMBER_##name},
#define CALL32(name, number) {#name, NUMBER_##name}, /* -1: exists in the other width only */
#define CALL64 CALL32
const struct named_call named_calls[] = {
#include "sys.def"
};
#undef CALL64
#undef CALL32
#undef CALL
#undef FRAME_CALL
#undef SERVICE_CALL
const unsigned named_call_count = sizeof named_calls / sizeof *named_calls;
