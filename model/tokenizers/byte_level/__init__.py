"""The tokenizer that is trained here: byte-level BPE, one vocabulary for both languages."""
