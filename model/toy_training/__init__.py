"""A tiny Transformer and toy tasks that it learns in a minute; several lessons use them.

Start with ``toy_task``.
"""
