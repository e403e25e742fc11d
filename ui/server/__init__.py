"""All that serves every visitor: the start, the slots of pages, the log and the queue of long work.

Start with ``page_slots`` and ``queue``.
"""
