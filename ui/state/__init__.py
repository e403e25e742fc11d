"""What a visitor looks at, and what is kept. Start with ``address``, then ``choices``."""
