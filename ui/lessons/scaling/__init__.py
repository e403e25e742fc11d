"""The experiments of the lesson about √d_k and the softmax."""
