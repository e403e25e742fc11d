"""The page "Learning": training curves, and how heads develop during training."""
