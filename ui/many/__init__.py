"""Many sentences at once: translations, scores, and statistics of all heads."""
