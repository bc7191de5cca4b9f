"""Tools for this tree alone: its budgets, the figures in its documents, the blocks that tests
reach. No module for users imports it (tests/self/test_rooms.py)."""
