"""What tells replicas apart: written for `make serve`, shipped for compose.yaml."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from deploy.site import OWN_NAMES, site_conf
from tests.server import ROOT


def test_the_shipped_file_is_what_the_command_writes():
    command = [sys.executable, "-m", "deploy.site", "app-8501:8501", "app-8502:8502"]
    written = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert (ROOT / "deploy" / "site.conf").read_text(encoding="utf-8") == written


def test_each_replica_has_all_others_behind_it():
    text = site_conf(["a:1", "b:2", "c:3"], [*OWN_NAMES, "maps.school.example"])
    assert re.findall(r"^    (\S+) 1;$", text, re.MULTILINE) == [
        "localhost",
        "127.0.0.1",
        "maps.school.example",
    ]
    for port, own in (("1", "a:1"), ("2", "b:2"), ("3", "c:3")):
        [block] = re.findall(rf"upstream replica-{port} {{(.*?)}}", text, re.DOTALL)
        servers = dict(re.findall(r"server (\S+) (.*);", block))
        assert set(servers) == {"a:1", "b:2", "c:3"}
        assert [name for name, how in servers.items() if "backup" not in how] == [own]
        assert f"    {port} replica-{port};" in text


@pytest.mark.parametrize("replicas", [["a:1", "b:1"], ["a"], ["a:x"], ["a:"]])
def test_replicas_that_a_cookie_could_not_tell_apart_are_refused(replicas):
    with pytest.raises(ValueError, match="each replica needs a port that no other has"):
        site_conf(replicas, OWN_NAMES)
