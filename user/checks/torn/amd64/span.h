/* span.h - this width's functions, for clock/page.h */
#pragma once
#include "clock/vdso/64/span.h"
