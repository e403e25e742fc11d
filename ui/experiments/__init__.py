"""Experiments that test a claim about attention."""
