"""The tokenizer of this project: byte-level BPE with one vocabulary for both languages."""
