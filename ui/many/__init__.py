"""Many sentences at once: translations, scores, and figures of all heads."""
