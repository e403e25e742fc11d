"""The laboratory of the page "Learning": tasks that a tiny Transformer learns in a minute.

Start with ``toy_tasks``.
"""
