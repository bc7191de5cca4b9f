/* span.h - as the functions of this width have it, for clock/page.h */
#include "clock/vdso/32/span.h"
