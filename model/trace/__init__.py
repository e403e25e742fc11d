"""Everything that one forward pass computed, with the tokens that it was computed from.

Start with ``base`` (the numbers) and ``tracing`` (how they are made), then read ``transformer``.
``drawable`` draws a trace without the app.
"""
