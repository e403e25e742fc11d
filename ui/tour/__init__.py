"""Tours: a spotlight on the page's own controls, and a sentence for each step.

Read ``steps`` first.
"""
