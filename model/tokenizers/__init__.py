"""Convert text to token ids and back. Start with ``tokenizer``, then ``byte_level``."""
