"""What serves all visitors: the start, turns, the log, and work that is done one piece at a time.

Start with ``queue``.
"""
