"""Measures of attention maps, and the maps of one sentence in a form for display.

Start with ``view``.
"""
