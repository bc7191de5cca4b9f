/* mechanism.h - enum mechanism: the ways in of mechanism.def. */
#ifndef TOLLGATE_CORE_ENTRY_MECHANISM_H
#define TOLLGATE_CORE_ENTRY_MECHANISM_H

enum mechanism {
#define MECHANISM(name, ...) MECHANISM_##name,
#define VARIANT(...)
#define BESIDE(...)
#include "entry/mechanism.def"
        MECHANISMS
};

#endif
