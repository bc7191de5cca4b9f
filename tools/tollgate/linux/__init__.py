"""The same programs on Linux and on ours: their results and costs.

On this host's own kernel (host), and on the distribution's, booted in the QEMU that boots ours
(package, guest); one file of records (record), and both sides in one table (beside).
"""
