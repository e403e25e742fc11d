"""Lesson 3: waves, rotations, and whether the order of the words arrives.

Start with ``waves``.
"""
