#!/bin/sh
# Creates .venv with the first Python that is new enough, or says in one line what to run.
# If PYTHON=/path/to/python is set in the environment, only that one is tried.
set -eu

for python in ${PYTHON:-python3 python3.13 python3.12 python3.11}; do
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue
    if "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        exec "$python" -m venv --upgrade-deps .venv # the bundled pip may be old and half as fast
    fi
    incomplete=${incomplete:-$python}
done

if [ "${incomplete:-}" ]; then # Debian has the venv module in a separate package
    package=$("$incomplete" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
    echo "$incomplete lacks its venv module. Run: sudo apt-get install $package" >&2
else
    found=$("${PYTHON:-python3}" --version 2>&1) || found="none"
    echo "Python 3.11 or newer is needed, found: $found. Install one from" \
        "https://www.python.org/downloads/, then run: make app PYTHON=/path/to/it" >&2
fi
exit 1
