"""Tollgate's host side: boots the kernels, reads their records, shows the cost of a crossing."""

__version__ = "0.1.0"
