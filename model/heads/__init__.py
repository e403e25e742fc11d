"""Measure every head over a corpus, and name heads for what they do.

Start with ``analysis``, which calls the others.
"""
