"""The page "Heads": the behaviour of all heads over a corpus. Read ``table`` first."""
