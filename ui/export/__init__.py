"""Export of figures: pictures, and the numbers as files with a description."""
