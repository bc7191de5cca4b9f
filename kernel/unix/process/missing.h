/* missing.h - calls and requests of programs that do not exist here, by name */
#pragma once
#include "lib/json.h"

/* That number has been asked for: -ENOSYS. calls=say says so, once for each program and number. */
long missing_call(unsigned long number);
/* Kinds of numbers, and their names in a message: device, channel and file are requests of ioctl()
 * by type of file; family and style are of socket(). */
#define MISSING(KIND)                                                                              \
        KIND(call, "call"), KIND(device, "ioctl"), KIND(channel, "ioctl"), KIND(file, "ioctl"),    \
                KIND(fcntl, "fcntl"), KIND(family, "socket"), KIND(style, "socket"),               \
                KIND(option, "option"), KIND(message, "message"), KIND(socketcall, "socketcall"),  \
                KIND(futex, "futex"), KIND(clone, "clone"), KIND(prctl, "prctl"),                  \
                KIND(fallocate, "fallocate"), KIND(policy, "policy"), KIND(open, "open"),          \
                KIND(rename, "rename"), KIND(control, "control message"), KIND(seek, "lseek"),     \
                KIND(advice, "madvise"), KIND(clock, "clock"), KIND(remap, "mremap"),              \
                KIND(watch, "epoll of an epoll")
#define KIND(name, word) MISSING_##name
enum missing { MISSING(KIND) };
#undef KIND

/* An existing call refuses this request, or each of these flags, with `error`, which is returned.
 * Recorded like a missing call, unless by request.def Linux has no such request for this file. */
long missing_request(enum missing what, uint32_t number, long error);
long missing_flags(enum missing what, uint32_t flags, long error);
/* Writes Linux's requests that were missing so far, as `unimplemented`; nothing if none were. */
void missing_record(struct json *json);
