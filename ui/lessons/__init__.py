"""The lessons; each has a module or a package."""
