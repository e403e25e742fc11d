"""The whole machine: the figure, what is in each box, and the questions a class asks."""
