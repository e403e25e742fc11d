"""The experiments of the lesson about cost."""
