"""Measure every head over a corpus, and name heads by their behaviour.

Start with ``analysis``, which calls the others.
"""
