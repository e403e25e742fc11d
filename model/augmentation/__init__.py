"""What a training shows the model beyond its corpus. Start with ``augmentation``.

Made sentences, names and numbers in place of others, careless typing, and the sentences written
by hand for this project.
"""
