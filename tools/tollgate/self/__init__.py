"""What is about this tree alone: its budgets, the figures in its documents, the blocks that tests
reach. No module that a user runs includes it (tests/self/test_rooms.py)."""
