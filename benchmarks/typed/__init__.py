"""Typical first inputs of visitors, translated by a model for a person to judge."""
