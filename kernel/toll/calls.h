/* calls.h - the testbed's own calls as C functions (toll.def). */
#pragma once
#include "thread/call.h"

#define CALL_FILE "toll/toll.def"
#include "toll/declare.def"
