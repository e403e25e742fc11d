"""The tokenizer of a model from elsewhere: two SentencePiece models, and ids for their pieces.

SentencePiece itself is needed only where a file of its own is read (``spm_file``, at conversion).
Afterwards all is in ``tokenizer.json``, and a text is cut by ``normaliser`` and then ``unigram``,
or by the byte-pair encoding of ``tokenizers``.

That library has the other two as well, but not to the letter: its ``Precompiled`` takes the
shortest replacement in place of the longest, and its ``Unigram`` adds in float64, by which another
of several equal cuts wins where a letter is repeated.
"""
