"""Benchmarks that anybody can run; each prints its numbers, or writes them as JSON."""
