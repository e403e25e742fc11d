"""The page "From RNN to attention": what a recurrent encoder forgets."""
