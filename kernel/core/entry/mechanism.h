/* mechanism.h - enum mechanism: the ways in of mechanism.def. */
#pragma once
enum mechanism {
#define MECHANISM(name, ...) MECHANISM_##name,
#define VARIANT(...)
#define BESIDE(...)
#include "entry/mechanism.def"
        MECHANISMS
};
