"""A module or a package for each lesson."""
