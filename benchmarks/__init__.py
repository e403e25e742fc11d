"""Comparisons that anybody can run; each prints its figures, or keeps them as JSON."""
