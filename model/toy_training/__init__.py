"""A tiny Transformer and the toy tasks that it learns in a minute, for more than one lesson.

Start with ``toy_task``.
"""
