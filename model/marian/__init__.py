"""Models of Hugging Face's MarianMT, read without its library.

Start with ``folder``, what lies there; ``architecture`` says it in our words, ``weights`` brings
the numbers, ``card`` the README.
"""
