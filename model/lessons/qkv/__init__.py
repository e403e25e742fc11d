"""Lesson: one multi-head attention, operation by operation; start with ``walkthrough``."""
