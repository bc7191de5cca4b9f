"""Lessons, exercises and their grades, and the book."""
