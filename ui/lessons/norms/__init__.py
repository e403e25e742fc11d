"""The experiments of the lesson about residuals, norms and feed-forward."""
