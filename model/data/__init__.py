"""From a corpus to batches. Start with ``corpus``, then ``tokenizer`` and ``batches``."""
