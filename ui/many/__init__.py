"""The page "Many sentences": translations, scores, and statistics of all heads."""
