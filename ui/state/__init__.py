"""What a visitor looks at, and what is kept: choices, their address, models, memory and limits.

Start with ``address``, then ``choices``.
"""
