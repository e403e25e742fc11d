"""The Dockerfile: its rules, the files that it copies, and the app with these files alone."""

import json
import os
import re
import shutil
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests.deploy.asking import KNOCK, ask
from tests.server import ROOT, serve
from tests.visitor import Visitor

DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", "")
IGNORE = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()


def copied() -> list[tuple[str, str]]:
    """Return the files that the final image copies, and their targets."""
    last_stage = DOCKERFILE.rpartition("\nFROM ")[2]
    lines = re.findall(r"^COPY (?!--from)(.+)$", last_stage, re.MULTILINE)
    return [(source, line.split()[-1]) for line in lines for source in line.split()[:-1]]


def test_every_copied_file_exists_and_is_not_ignored():
    allowed = [line[1:] for line in IGNORE if line.startswith("!")]
    assert IGNORE[1] == "*"
    built_with = {"requirements.txt", "constraints.txt"}
    for source in built_with | {source for source, _ in copied()}:
        assert (ROOT / source).exists()
        assert any(fnmatch(source, pattern) for pattern in allowed), source
    assert {source for source, _ in copied()} | built_with == set(allowed)


def test_every_base_image_has_its_full_version():
    compose = (ROOT / "deploy" / "compose.yaml").read_text(encoding="utf-8")
    images = re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)
    images += re.findall(r"^ *image: (\S+:\S+)", compose, re.MULTILINE)
    assert len(images) == 3
    for name in images:
        assert re.fullmatch(r"[a-z]+:\d+\.\d+\.\d+-[\w.-]+(@sha256:[0-9a-f]{64})?", name), name


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the files of /app."""
    folder = tmp_path_factory.mktemp("image")
    caches = shutil.ignore_patterns("__pycache__")
    for source, target in copied():
        there = folder / target / Path(source).name if target.endswith("/") else folder / target
        if (ROOT / source).is_dir():
            shutil.copytree(ROOT / source, there, ignore=caches)
        else:
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / source, there)
    return folder


@pytest.mark.slow
def test_the_app_runs_with_the_copied_files_and_is_healthy(image, tmp_path):
    environment = {"STREAMLIT_SERVER_ALLOWED_HOSTS": "localhost 127.0.0.1 maps.school.example"}
    with serve(tmp_path / "log", environment=environment, folder=image) as server:
        with Visitor(server.address) as visitor:
            for page in ("", "explorer"):
                answer = visitor.open(page)
                assert answer.exceptions == [], page
                assert not answer.closed, page
                assert visitor.widgets, page
        port = server.address.rpartition(":")[2]
        for name, status in (("maps.school.example", 101), ("evil.example", 403)):
            assert ask(int(port), "/_stcore/stream", Host=name, **KNOCK).status == status
        [check] = re.findall(r"HEALTHCHECK.*?CMD (\[.*?\])\n", DOCKERFILE, re.DOTALL)
        command = [sys.executable, *json.loads(check)[1:]]
        asked = os.environ | {"STREAMLIT_SERVER_PORT": port}
        assert subprocess.run(command, cwd=image, env=asked, check=False).returncode == 0
    assert subprocess.run(command, cwd=image, env=asked, check=False).returncode == 1
