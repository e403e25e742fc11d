#!/bin/sh
# Creates .venv with the first Python that all requirements support, or says in one line what to run.
# If PYTHON=/path/to/python is set in the environment, only that one is tried.
set -eu

for python in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
    version=$("$python" --version 2>&1) || continue
    # PyTorch and NumPy, as requirements.txt pins them, have wheels for these versions only.
    if ! "$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' 2>/dev/null; then
        found="${found:+$found, }$version ($python)"
        continue
    fi
    if "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        echo "Creating .venv with $version ($python)."
        exec "$python" -m venv --upgrade-deps .venv # the bundled pip may be old and half as fast
    fi
    incomplete=${incomplete:-$python}
done

if [ "${incomplete:-}" ]; then # Debian has the venv module in a separate package
    package=$("$incomplete" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
    echo "$incomplete lacks its venv module. Run: sudo apt-get install $package" >&2
else
    echo "Python 3.11 to 3.14 is needed, found: ${found:-none}. Install one from" \
        "https://www.python.org/downloads/, then run: make app PYTHON=/path/to/it" >&2
fi
exit 1
