"""Sentences such as visitors type at first, translated by a model, to be judged by reading."""
