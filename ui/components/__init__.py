"""Components of our own, drawn by the browser."""
