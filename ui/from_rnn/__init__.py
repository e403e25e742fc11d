"""The page "From RNN"."""
