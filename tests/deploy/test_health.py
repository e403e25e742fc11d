"""What the health check of the container is told, and says."""

import pytest

from deploy import health


@pytest.mark.parametrize("port", ["abc", "", "0", "65536", "8501.0"])
def test_a_port_that_is_none_is_refused_in_a_sentence(port, monkeypatch):
    monkeypatch.setenv(health.PORT_VARIABLE, port)
    with pytest.raises(SystemExit, match=f"^STREAMLIT_SERVER_PORT is '{port}': give a number"):
        health.main()
