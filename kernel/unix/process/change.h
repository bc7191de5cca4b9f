/* change.h - changes of a program's areas, which let other threads run. Those of one memory wait
 * for each other, in the order in which they asked. */
#pragma once
void memory_change(void);         /* before a change of the caller's areas, and all that it reads */
long memory_changed(long result); /* behind it; returns `result` */
