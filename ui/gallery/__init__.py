"""The gallery: prepared examples, each one thing to be seen in one head."""
