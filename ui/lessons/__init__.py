"""One room for each of the seven lessons."""
