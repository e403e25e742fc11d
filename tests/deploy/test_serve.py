"""`make serve` runs the processes of supervisord.conf; a sentence names a missing program."""

import re
import signal
import socket
import sys

import pytest
from supervisor.datatypes import RestartUnconditionally
from supervisor.options import ServerOptions

from deploy import serve
from tests.deploy.asking import ask
from tests.deploy.school import kill, runs, school
from tests.server import ROOT
from tests.waiting import until

# A replacement for the app: it answers with its process id and its arguments.
STREAMLIT = f"""#!{sys.executable}
import http.server, os, sys

class Told(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        names = ("COOKIE_SECRET", "ALLOWED_HOSTS")
        told = [str(os.getpid()), *(os.environ["STREAMLIT_SERVER_" + name] for name in names)]
        self.send_response(200)
        self.end_headers()
        self.wfile.write("\\n".join(told).encode())

port = int(sys.argv[sys.argv.index("--server.port") + 1])
http.server.ThreadingHTTPServer(("127.0.0.1", port), Told).serve_forever()
"""
LONG = ".".join(["name" * 15] * 4)  # the longest possible host name: 253 characters


@pytest.mark.slow
@pytest.mark.usefixtures("nginx")
def test_a_killed_process_is_restarted_and_ctrl_c_ends_all(tmp_path):
    program = tmp_path / "streamlit"
    program.write_text(STREAMLIT)
    program.chmod(0o755)
    start = f"from deploy import serve; serve.PATH = '{tmp_path}:' + serve.PATH; serve.main()"
    with school(tmp_path / "log", 2, "-c", start, "--host", LONG) as running_school:
        assert (
            f"2 replicas at http://{LONG}:{running_school.port} " in running_school.log.read_text()
        )
        everyone = running_school.everyone
        before = running_school.replicas
        nginx = running_school.proxy[0]
        fields = [_fields_of(int(port)) for port in before]
        assert [int(number) for number, *_ in fields] == list(before.values())
        assert fields[0][1:] == fields[1][1:]
        assert fields[0][2] == f"localhost 127.0.0.1 {LONG}"
        lost, other = before
        kill(nginx)
        until(lambda: running_school.proxy and nginx not in running_school.proxy)
        kill(before[lost])
        back = {"Host": LONG, "Cookie": f"replica={lost}"}
        until(
            lambda: (
                _fields_of(running_school.port, **back)[0] == str(running_school.replicas.get(lost))
            )
        )
        assert running_school.replicas[lost] != before[lost]
        assert running_school.replicas[other] == before[other]
        assert f"exited: replica-{lost} (terminated by SIGKILL" in running_school.log.read_text()
        everyone |= running_school.everyone
        for _ in range(2):  # also if Ctrl+C is pressed twice
            running_school.process.send_signal(signal.SIGINT)
        assert running_school.process.wait(timeout=30) == 0
    assert [process for process in everyone if runs(process)] == []


def _fields_of(port: int, **headers: str) -> list[str]:
    try:
        return ask(port, **headers).body.decode().split("\n")
    except OSError:
        return ["nobody is there"]


def test_without_nginx_a_message_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr(serve, "PATH", "")
    with pytest.raises(SystemExit, match="Run: sudo apt-get install nginx-light"):
        serve._check([])


@pytest.mark.usefixtures("nginx")
def test_a_port_in_use_is_named_in_the_message():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(SystemExit, match=rf"Port {port} .* in use\. .*make serve PORT=9000"):
            serve._check([("127.0.0.1", port)])


@pytest.mark.parametrize("port", ["0", "65534", "-1"])
def test_a_port_after_which_no_ports_are_left_for_replicas_is_refused(monkeypatch, capsys, port):
    monkeypatch.setattr(sys, "argv", ["serve", "--replicas", "2", f"--port={port}"])
    with pytest.raises(SystemExit):
        serve.main()
    assert f"--port is {port}: give one from 1 to 65533;" in capsys.readouterr().err


def test_supervisord_runs_the_replicas_on_the_ports_after_the_first(monkeypatch):
    monkeypatch.setenv("ATTENTION_EXPLORER_REPLICAS", "3")
    monkeypatch.setenv("ATTENTION_EXPLORER_FIRST_PORT", "9001")
    read = ServerOptions()
    read.realize(["--nodaemon", "--configuration", str(ROOT / "deploy" / "supervisord.conf")])
    groups = {group.name: group.process_configs for group in read.process_group_configs}
    ports = [re.findall(r"port (\d+)", program.command) for program in groups["replica"]]
    assert ports == [["9001"], ["9002"], ["9003"]]
    for program in (*groups["replica"], *groups["nginx"]):
        assert program.autorestart is RestartUnconditionally
