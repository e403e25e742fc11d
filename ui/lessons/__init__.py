"""The lessons. Each has a module or a package."""
