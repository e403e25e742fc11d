"""Traces: all tensors of one forward pass, with its tokens.

Start with ``base`` (the numbers) and ``tracing`` (how they are made), then read ``transformer``.
``drawable`` draws a trace without the app.
"""
