"""What the lessons compute: a module or a package for each, named like its page."""
