"""The experiments of the lesson about positions."""
