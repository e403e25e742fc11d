"""Lesson 2: what padding is, and what a decoder learns that may look ahead."""
