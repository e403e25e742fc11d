"""A module or a package for each of the seven lessons."""
