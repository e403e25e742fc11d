"""The page "Learning": how trainings went, and how heads came about."""
