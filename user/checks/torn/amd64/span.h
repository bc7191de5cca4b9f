/* span.h - this width's functions, for clock/page.h */
#ifndef TOLLGATE_USER_CHECKS_TORN_AMD64_SPAN_H
#define TOLLGATE_USER_CHECKS_TORN_AMD64_SPAN_H

#include "clock/vdso/64/span.h"

#endif
