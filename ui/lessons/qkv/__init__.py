"""Lesson: one multi-head attention, operation by operation."""
