"""Lesson: the boxes of the figure, and one token on its way through them, in ``parts``."""
