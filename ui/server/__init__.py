"""Services for all visitors: start-up, page slots, the log, and the queue of long jobs.

Read ``page_slots`` and ``queue`` first.
"""
