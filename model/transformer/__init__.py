"""The paper "Attention Is All You Need", section 3: one file for each box of its figure 1.

Start with ``attention``, end with ``transformer``.
"""
