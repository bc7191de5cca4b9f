"""Tollgate's host side: boots the kernels, reads their records, shows what a crossing costs."""

__version__ = "0.1.0"
