"""The page "Heads": what all heads do over a corpus. Start with ``table``."""
