/* calls.h - the testbed's own calls as C functions (toll.def). */
#ifndef TOLLGATE_TOLL_CALLS_H
#define TOLLGATE_TOLL_CALLS_H

#include "thread/call.h"

#define SERVICE_CALL(name, i386, amd64) call clean_user_##name, probed_user_##name;
#define FRAME_CALL CALL
#define CALL(name, i386, amd64) call sys_##name;
#define CALL32(name, number) call sys_##name;
#define CALL64 CALL32
#include "toll/toll.def"
#undef CALL64
#undef CALL32
#undef CALL
#undef FRAME_CALL
#undef SERVICE_CALL

#endif
