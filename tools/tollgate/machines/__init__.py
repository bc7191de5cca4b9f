"""Machines: what to boot, in which emulator or on which board, and the outcome."""
