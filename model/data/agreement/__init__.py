"""What a word agrees with."""
