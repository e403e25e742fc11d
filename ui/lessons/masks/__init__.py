"""Lesson: three attentions, two masks."""
