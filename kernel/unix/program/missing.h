/* missing.h - the calls that programs have made and that are not here, by Linux's names. */
#ifndef TOLLGATE_UNIX_PROGRAM_MISSING_H
#define TOLLGATE_UNIX_PROGRAM_MISSING_H

#include "lib/json.h"

/* That number has been asked for: -ENOSYS. calls=say says so, once for each program and number. */
long missing_call(unsigned long number);
/* Those of Linux's that were asked for so far, as `unimplemented`; nothing if there were none. */
void missing_record(struct json *json);

#endif
