"""The tokenizer of a model from elsewhere: two SentencePiece models, and ids for their pieces.

SentencePiece itself is needed only where a file of its own is read (``spm_file``, at conversion).
Afterwards all is in ``tokenizer.json``, and the library ``tokenizers`` cuts a text. It cuts as
SentencePiece does, but for what people hardly write: where something stands three times in a row
another of equally probable cuts may win; an accent behind a sign that is replaced (``①``) is
lost, one behind a control character goes to the letter before that, and one that is not in the
order of Unicode is composed with its letter all the same; ``<0xF0>``, typed, is a byte.
"""
