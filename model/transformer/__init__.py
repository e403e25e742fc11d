"""The paper "Attention Is All You Need", section 3, one file for each of its boxes.

Start with ``attention``, end with ``transformer``.
"""
