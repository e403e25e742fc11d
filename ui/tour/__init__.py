"""Tours: each step highlights a control of the page and explains it in a sentence.

Read ``steps`` first.
"""
