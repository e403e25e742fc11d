"""Lesson: padding, and what a decoder learns if it may see later tokens."""
