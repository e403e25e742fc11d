""" "Attention Is All You Need", section 3: one file for each box of the paper's figure 1.

Start with ``attention``, end with ``transformer``.
"""
