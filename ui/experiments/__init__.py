"""Experiments that test claims about attention."""
