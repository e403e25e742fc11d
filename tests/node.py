"""Find Node.js, which runs our scripts without a browser."""

from pathlib import Path

import playwright

NODE = Path(playwright.__file__).parent / "driver" / "node"  # Node.js is part of Playwright
