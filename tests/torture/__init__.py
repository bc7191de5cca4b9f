"""Fuzzers: `python -m tests.torture` does thousands of steps and mutants, from a seed.

`guests` are kinds of user/torture, which draw their deeds inside the guest; `inputs` are files that
this side damages: disks, trees, command lines and memory maps. `shrink` makes a failure small.
docs/limits.md says how to run it.
"""
