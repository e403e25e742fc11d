"""Lesson 1: one multi-head attention, operation by operation; start with ``walkthrough``."""
