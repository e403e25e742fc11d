"""Lesson 2: three attentions, two masks."""
