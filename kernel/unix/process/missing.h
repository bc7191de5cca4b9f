/* missing.h - calls and requests that programs have made and that are not here, by their names */
#ifndef TOLLGATE_UNIX_PROCESS_MISSING_H
#define TOLLGATE_UNIX_PROCESS_MISSING_H

#include "lib/json.h"

/* That number has been asked for: -ENOSYS. calls=say says so, once for each program and number. */
long missing_call(unsigned long number);
/* Whose number it is: device, channel and file are requests of ioctl() by what was asked; family
 * and style are of socket(). */
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

/* A call that is here refuses that request, or each of those flags, with `error`, which is
 * returned. Named as a missing call is, unless request.def has it as no request of Linux's for this
 * file. */
long missing_request(enum missing what, uint32_t number, long error);
long missing_flags(enum missing what, uint32_t flags, long error);
/* Those of Linux's that were asked for so far, as `unimplemented`; nothing if there were none. */
void missing_record(struct json *json);

#endif
