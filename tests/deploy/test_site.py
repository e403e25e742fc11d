"""Host names are checked when they are given, because nginx answers 421 to an unknown name."""

import sys

import pytest

from deploy import serve, site
from deploy.site import host_name, site_conf


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("maps.school.example", "maps.school.example"),
        ("Maps.School.EXAMPLE", "maps.school.example"),
        ("maps.school.example.", "maps.school.example"),
        ("192.168.1.20", "192.168.1.20"),
        ("app_1", "app_1"),
        ("schüler.example", "xn--schler-5ya.example"),
        ("Straße.example", "xn--strae-oqa.example"),
        ("xn--strae-oqa.example", "xn--strae-oqa.example"),
    ],
)
def test_a_host_name_is_written_as_nginx_compares_it(given, name):
    assert host_name(given) == name
    assert f"\n    {name} 1;\n" in site_conf(["app:1"], [given])


def test_two_spellings_of_a_host_count_as_one():
    assert site_conf(["app:1"], ["a.example", "A.example."]).count("a.example 1;") == 1


WRONG = [
    ("maps.school.example:8080", "leave the port out"),
    ("192.168.1.20:80", "leave the port out"),
    ("maps.school.example:", "leave the port out"),
    ("http://maps.school.example/", "leave the scheme out"),
    ("https://maps.school.example:8080", "leave the scheme out"),
    ("maps.school.example/class", "give a name like maps.school.example"),
    ("*.school.example", "give a name like maps.school.example"),
    ("::1", "give a name or an IPv4 address"),
    ("[::1]:8501", "give a name or an IPv4 address"),
    ("☃.example", "write it as browsers send it, xn--..."),
    ("maps..example", "give a name like maps.school.example"),
    ("maps example", "give a name like maps.school.example"),
    ("maps; return 200", "give a name like maps.school.example"),
    ("", "give a name like maps.school.example"),
    (".".join(["a"] * 200), "give a name like maps.school.example"),
]


@pytest.mark.parametrize("command", [site.main, serve.main])
@pytest.mark.parametrize(("given", "remedy"), WRONG)
def test_an_invalid_host_name_is_refused_in_a_sentence(command, given, remedy, monkeypatch, capsys):
    replicas = ["app:1"] if command is site.main else []
    monkeypatch.setattr(sys, "argv", ["command", *replicas, "--host", given])
    with pytest.raises(SystemExit):
        command()
    assert f"{given} is not a host name: {remedy}\n" in capsys.readouterr().err


@pytest.mark.parametrize("given", ["0", "-1", "many", "65536", "9" * 5000])
def test_an_absurd_number_of_visitors_is_refused(given, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["command", "app:1", f"--visitors={given}"])
    with pytest.raises(SystemExit):
        site.main()
    assert "give a number from 1 to 65535" in capsys.readouterr().err


def test_the_operator_sets_how_many_visitors_may_come_from_one_address():
    assert "limit_conn websockets 200;" in site_conf(["app:1", "app:2"], [])
    assert "limit_conn websockets 7;" in site_conf(["app:1", "app:2"], [], visitors=7)


@pytest.mark.parametrize("visitors", [3277, 65_535])
def test_no_limit_is_larger_than_nginx_can_count(visitors):
    conf = site_conf(["app:1"], [], visitors=visitors)
    assert f"limit_conn websockets {visitors};" in conf
    assert "limit_conn connections 65535;" in conf


def test_many_replicas_do_not_raise_a_limit_above_what_nginx_can_count():
    replicas = [f"app:{port}" for port in range(1, 701)]
    assert "limit_conn websockets 65535;" in site_conf(replicas, [])


def test_without_the_library_idna_a_name_must_be_in_ascii(monkeypatch):
    monkeypatch.setitem(sys.modules, "idna", None)
    assert host_name("maps.school.example") == "maps.school.example"
    with pytest.raises(ValueError, match="write it as browsers send it, xn--"):
        host_name("schüler.example")


@pytest.mark.parametrize("word", ["default", "hostnames", "include", "volatile"])
def test_a_host_name_cannot_contain_commands_for_nginx(word):
    assert f"\n    \\{word} 1;\n" in site_conf(["app:1"], [word])


@pytest.mark.parametrize("replica", ["app-8501:8501", "127.0.0.1:1", "[::1]:65535"])
def test_a_replica_has_a_host_and_a_port(replica):
    assert f"\n    server {replica} max_fails=0;\n" in site_conf([replica], [])


@pytest.mark.parametrize(
    ("replica", "remedy"),
    [
        ("a:0", "give it a port from 1 to 65535"),
        ("a:08501", "give it a port from 1 to 65535"),
        ("a:99999", "give it a port from 1 to 65535"),
        ("a:٣٤٥", "give it a port from 1 to 65535"),
        ("a", "give a host and its port"),
        ("http://a:1", "give a host and its port"),
        ("a;b:8501", "give a host and its port"),
        ("[::1%a;b]:8501", "give a host and its port"),
    ],
)
def test_an_invalid_replica_is_refused_in_a_sentence(replica, remedy, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["command", replica])
    with pytest.raises(SystemExit):
        site.main()
    assert f"{replica} is not a replica: {remedy}" in capsys.readouterr().err
