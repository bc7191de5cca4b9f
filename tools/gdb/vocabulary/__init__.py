"""The words that Tollgate adds to gdb, one module for each subject."""
