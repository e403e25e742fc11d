"""Comparisons that anybody can run; each prints its figures as JSON."""
