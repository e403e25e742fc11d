"""Lesson 6: what a layer of each type costs, counted and measured.

Start with ``complexity``.
"""
