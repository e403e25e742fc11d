"""Lesson: one multi-head attention, operation by operation. Start with ``walkthrough``."""
