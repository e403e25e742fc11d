"""The tokenizer of a model from elsewhere: two SentencePiece models, and ids for their pieces."""
