/* handoff.h - the hand-off, toll_hand(): passes a word and the processor directly to a partner. */
#pragma once
struct thread;

/* Call when the thread ends: releases its partners. */
void handoff_end(struct thread *thread);
