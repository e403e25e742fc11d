"""Lesson on the whole model: the figure, the contents of each box, and common questions."""
