"""Write a path so that a command reads it as a path."""


def path_argument(path: str) -> str:
    """Return a path as an argument of a command; it is not quoted for a shell.

    A command would read a path that begins with a hyphen as an option.

    >>> path_argument("-data/fra-eng.zip")
    './-data/fra-eng.zip'
    >>> path_argument("data/fra-eng.zip")
    'data/fra-eng.zip'
    """
    return f"./{path}" if path.startswith("-") else path
