"""What is done to a model to see what one translation owes to its parts, and what it then does.

Heads are ablated, tokens are left out. Start with ``ablation``, then ``leave_one_out``.
"""
