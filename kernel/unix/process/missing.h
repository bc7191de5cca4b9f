/* missing.h - calls and requests of programs that do not exist here, by name */
#ifndef TOLLGATE_UNIX_PROCESS_MISSING_H
#define TOLLGATE_UNIX_PROCESS_MISSING_H

#include "lib/json.h"

/* That number has been asked for: -ENOSYS. calls=say says so, once for each program and number. */
long missing_call(unsigned long number);
/* Kinds of numbers: device, channel and file are requests of ioctl() by type of file; family and
 * style are of socket(). */
enum missing {
        MISSING_call,
        MISSING_device,
        MISSING_channel,
        MISSING_file,
        MISSING_fcntl,
        MISSING_family,
        MISSING_style,
        MISSING_option,
        MISSING_message,
        MISSING_socketcall,
        MISSING_futex,
        MISSING_clone,
        MISSING_prctl,
        MISSING_fallocate,
        MISSING_policy,
};

/* An existing call refuses that request, or each of those flags, with `error`, which is returned.
 * Recorded like a missing call, unless by request.def Linux has no such request for this file. */
long missing_request(enum missing what, uint32_t number, long error);
long missing_flags(enum missing what, uint32_t flags, long error);
/* Writes Linux's requests that were missing so far, as `unimplemented`; nothing if none were. */
void missing_record(struct json *json);

#endif
