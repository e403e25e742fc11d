"""What serves all visitors: the start, runs of pages and their log, and long work, in a queue.

Start with ``queue``.
"""
