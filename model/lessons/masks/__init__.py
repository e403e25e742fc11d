"""Lesson: what padding is, and what a decoder learns that may look ahead."""
