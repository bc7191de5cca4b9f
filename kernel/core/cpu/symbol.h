/* symbol.h - names for addresses, and a frame printed in words. */
#pragma once
#include "arch.h"

/* "name+offset" of kernel text, valid until the next call; "?" for anything else. */
const char *symbol_at(uintptr_t address);

/* arch/<arch>/registers.c */
void registers_say(const struct frame *frame);
struct toll_frame;
void registers_give(const struct frame *frame, struct toll_frame *to);
uintptr_t frame_stack(const struct frame *frame); /* the interrupted stack pointer */
