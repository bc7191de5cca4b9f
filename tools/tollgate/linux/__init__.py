"""The same programs on Linux and on ours: their results and costs.

The distribution's kernel (package) is booted in the QEMU that boots ours (guest); both sides are in
one file of records (record) and in one table (columns).
"""
