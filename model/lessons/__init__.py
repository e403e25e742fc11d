"""What the lessons compute: one room for each, named like its page."""
