"""A tiny Transformer, and toy tasks that it learns in a minute. Several lessons use them.

Start with ``toy_task``.
"""
