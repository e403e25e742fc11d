"""MarianMT models of Hugging Face, read without its library. Start with ``folder``, what is there;
``architecture`` says it in our words, ``weights`` and ``tokenizer`` bring it, ``card`` tells it."""
