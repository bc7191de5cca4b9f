/* calls.h - the testbed's own calls as C functions (toll.def). */
#ifndef TOLLGATE_TOLL_CALLS_H
#define TOLLGATE_TOLL_CALLS_H

#include "thread/call.h"

#define CALL_FILE "toll/toll.def"
#include "toll/declare.def"

#endif
