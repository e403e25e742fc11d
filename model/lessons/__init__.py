"""The computations of the lessons. Each lesson has a module or package, named like its page."""
