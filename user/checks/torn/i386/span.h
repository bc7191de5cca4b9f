/* span.h - this width's functions, for clock/page.h */
#pragma once
#include "clock/vdso/32/span.h"
