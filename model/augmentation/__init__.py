"""Change the sentences of a corpus while a model trains on it. Start with ``augmentation``.

The package replaces names and numbers of the corpus, makes sentences from templates, imitates
careless typing, and adds the sentences written by hand for this project.
"""
