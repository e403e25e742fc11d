"""Lesson 4: why the scores are divided by √d_k, and other ways to score.

Start with ``softmax_experiments``.
"""
