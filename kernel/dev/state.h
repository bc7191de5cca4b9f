/* state.h - the machine's state in the run record: figures of one processor model depend on it. */
#pragma once
#include "boot.h"
#include "lib/json.h"

/* Writes the object `state`. Call when the kernel no longer changes any of these registers. */
void state_record(struct json *json, const struct boot_info *boot);
