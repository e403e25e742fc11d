"""What every page stands in: menu, headings, the sentence's box, controls, and how faults are told.

Start with ``page``.
"""
