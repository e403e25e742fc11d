"""Lesson 5: residual paths, norms and the feed-forward network."""
