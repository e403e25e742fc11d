"""The experiments of the lesson about residual connections, norms and feed-forward networks."""
