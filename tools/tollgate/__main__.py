"""`python -m tollgate` is the command `tollgate`."""

from tollgate.cli import entry

entry()
