"""The words that Tollgate adds to gdb, one module for each thing they speak about."""
