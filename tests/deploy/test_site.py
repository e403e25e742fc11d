"""What tells replicas apart: written for `make serve`, shipped for compose.yaml."""

import re

import pytest

from deploy.site import OWN_NAMES, site_conf


def test_each_replica_has_all_others_behind_it():
    text = site_conf(["a:1", "b:2", "c:3"], [*OWN_NAMES, "maps.school.example"])
    names = re.findall(r"^    (\S+) 1;$", text, re.MULTILINE)
    assert names == ["localhost", "127.0.0.1", "maps.school.example"]
    for port, own in (("1", "a:1"), ("2", "b:2"), ("3", "c:3")):
        [block] = re.findall(rf"upstream replica-{port} {{(.*?)}}", text, re.DOTALL)
        servers = dict(re.findall(r"server (\S+) (.*);", block))
        assert set(servers) == {"a:1", "b:2", "c:3"}
        assert [name for name, how in servers.items() if "backup" not in how] == [own]
        assert f"    {port} replica-{port};" in text


@pytest.mark.parametrize("replicas", [["a:1", "b:1"], ["a"], ["a:x"], ["a:"]])
def test_replicas_that_a_cookie_could_not_tell_apart_are_refused(replicas):
    with pytest.raises(ValueError, match="port"):
        site_conf(replicas, OWN_NAMES)
