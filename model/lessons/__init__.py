"""The computations of the lessons: a module or package for each, named like its page."""
