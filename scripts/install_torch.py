"""Install PyTorch: the CPU build on Linux without an NVIDIA driver, otherwise the default build.

python scripts/install_torch.py torch==VERSION

On Linux the default build brings CUDA libraries. The CPU build is in PyTorch's own package index
(TORCH_INDEX sets another). If the network blocks it, the default build is installed.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

INDEX = os.environ.get("TORCH_INDEX") or "https://download.pytorch.org/whl/cpu"
PATIENCE = 8  # seconds
LARGE = "about 3 GB with CUDA libraries"

_CONSTRAINTS = Path(__file__).parents[1] / "constraints.txt"
_PIP = [sys.executable, "-m", "pip", "install", "--quiet", "--no-compile"]
_PIP += ["--constraint", str(_CONSTRAINTS)]
_ASK = "import sys, urllib.request as r; r.urlopen(r.Request(sys.argv[1], method='HEAD'))"


def main(torch: str) -> int:
    """Install PyTorch, ``torch==VERSION``, and print which build it is and its size."""
    if sys.platform != "linux":
        print("PyTorch: the default build, about 100 MB.", flush=True)
    elif _has_driver():
        print(f"PyTorch: the default build, {LARGE}, for the NVIDIA driver here.", flush=True)
    elif not _reachable():
        print(f"PyTorch: the default build, {LARGE}: {INDEX} cannot be reached.", flush=True)
    else:
        print("PyTorch: the CPU build, about 200 MB: no NVIDIA driver is here.", flush=True)
        # Install only the wheel: its dependencies come from the default index, like everything
        # else.
        only = ["--no-deps", "--index-url", INDEX, "--retries", "0", "--timeout", str(PATIENCE)]
        if subprocess.run([*_PIP, *only, torch], check=False).returncode == 0:
            return 0
        print(f"PyTorch: the default build after all, {LARGE}.", flush=True)
    return subprocess.run([*_PIP, torch], check=False).returncode


def _has_driver() -> bool:
    return Path("/proc/driver/nvidia").exists() or shutil.which("nvidia-smi") is not None


def _reachable() -> bool:
    """Return whether the index answers in time; a DNS lookup has no timeout, a subprocess has."""
    ask = [sys.executable, "-c", _ASK, f"{INDEX}/torch/"]
    try:
        return (
            subprocess.run(ask, capture_output=True, timeout=PATIENCE, check=False).returncode == 0
        )
    except subprocess.TimeoutExpired:
        return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
