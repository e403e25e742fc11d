"""Measures of attention maps, and the maps of one sentence ready to be shown.

Start with ``view``.
"""
