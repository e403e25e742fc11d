"""Names, ports and limits are the same in nginx.conf, both manifests and the image."""

import re
import tomllib

import pytest
import yaml
from streamlit import config

from deploy.site import OWN_NAMES, site_conf
from tests.server import ROOT
from ui.server.security_headers import FRAME_ANCESTORS_VARIABLE
from ui.state import limits

DEPLOY = ROOT / "deploy"
NGINX = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
OPTIONS = {option.env_var for option in config.get_config_options().values()}


@pytest.fixture(scope="module")
def compose():
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def cluster():
    text = (DEPLOY / "kubernetes.yaml").read_text(encoding="utf-8")
    return {manifest["kind"]: manifest for manifest in yaml.safe_load_all(text)}


def apps(compose) -> dict[str, dict]:
    return {name: service for name, service in compose["services"].items() if name != "nginx"}


def test_compose_starts_the_replicas_that_nginx_knows(compose):
    addresses_of_apps = [
        f"{name}:{service['environment']['STREAMLIT_SERVER_PORT']}"
        for name, service in apps(compose).items()
    ]
    shipped = (DEPLOY / "site.conf").read_text(encoding="utf-8")
    assert shipped == site_conf(addresses_of_apps, OWN_NAMES)
    replicas = {
        service["environment"][limits.REPLICAS_VARIABLE] for service in apps(compose).values()
    }
    assert replicas == {len(addresses_of_apps)}
    addresses = {
        service["networks"]["default"]["ipv4_address"] for service in apps(compose).values()
    }
    assert len(addresses) == len(addresses_of_apps)


@pytest.mark.parametrize("replicas", [["a:1", "b:1"], ["a"], ["a:x"], ["a:"]])
def test_replicas_that_a_cookie_could_not_distinguish_are_refused(replicas):
    with pytest.raises(ValueError, match="port"):
        site_conf(replicas, OWN_NAMES)


def test_nginx_finds_its_files_and_listens_where_it_is_reached(compose):
    nginx = compose["services"]["nginx"]
    mounted = dict(volume.split(":")[:2] for volume in nginx["volumes"])
    for host_path, container_path in mounted.items():
        assert (DEPLOY / host_path).is_file()
        assert container_path == f"/etc/nginx/{host_path.removeprefix('./')}"
    included = set(re.findall(r"^\s*include (\S+);", NGINX, re.MULTILINE))
    assert {f"./{name}" for name in included} | {"./nginx.conf"} == mounted.keys()
    [port] = re.findall(r"^listen (\d+);", (DEPLOY / "listen.conf").read_text(), re.MULTILINE)
    assert nginx["ports"] == [f"${{PORT:-8080}}:{port}"]
    assert nginx["working_dir"] in nginx["tmpfs"]  # nginx makes its sockets in its working folder


def test_there_is_one_secret_and_every_setting_exists_in_streamlit(compose, cluster):
    [container] = cluster["Deployment"]["spec"]["template"]["spec"]["containers"]
    [secret] = container["env"]
    environments = [service["environment"] for service in apps(compose).values()]
    assert "secretKeyRef" in secret["valueFrom"]
    secrets = {environment[secret["name"]].partition(":?")[0] for environment in environments}
    assert secrets == {"${COOKIE_SECRET"}
    of_serve = re.findall(r"STREAMLIT_\w+", (DEPLOY / "serve.py").read_text(encoding="utf-8"))
    for names in ({*environments[0], secret["name"]}, cluster["ConfigMap"]["data"], of_serve):
        assert "STREAMLIT_SERVER_ALLOWED_HOSTS" in names
        assert {name for name in names if name.startswith("STREAMLIT_")} <= OPTIONS


def test_the_cluster_gets_its_name_and_its_number_of_replicas(cluster):
    settings = cluster["ConfigMap"]["data"]
    assert settings[limits.REPLICAS_VARIABLE] == str(cluster["Deployment"]["spec"]["replicas"])
    [rule] = cluster["Ingress"]["spec"]["rules"]
    assert rule["host"] in settings["STREAMLIT_SERVER_ALLOWED_HOSTS"].split()


def test_every_proxy_passes_the_largest_upload_that_the_app_accepts(cluster):
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    [allowed] = re.findall(r"client_max_body_size (\d+)m;", NGINX)
    annotations = cluster["Ingress"]["metadata"]["annotations"]
    assert annotations["nginx.ingress.kubernetes.io/proxy-body-size"] == f"{allowed}m"
    assert settings["server"]["maxUploadSize"] < int(allowed)


def test_both_proxies_have_the_same_limits_for_links_and_visitors(cluster):
    [buffers] = re.findall(r"large_client_header_buffers (.+);", NGINX)
    ingress = (DEPLOY / "kubernetes.yaml").read_text(encoding="utf-8")
    assert f'"large-client-header-buffers": "{buffers}"' in ingress
    replicas = [f"app:{1 + n}" for n in range(cluster["Deployment"]["spec"]["replicas"])]
    site = site_conf(replicas, OWN_NAMES)
    prefix = "nginx.ingress.kubernetes.io/limit-"
    bounds = {
        name.removeprefix(prefix): int(text)
        for name, text in cluster["Ingress"]["metadata"]["annotations"].items()
        if name.startswith(prefix)
    }
    assert f"limit_conn connections {bounds['connections']};" in site
    assert f"rate={bounds['rps']}r/s;" in site
    assert f"burst={bounds['rps'] * bounds['burst-multiplier']} " in site


def test_no_proxy_logs_the_requests_of_visitors(cluster):
    annotations = cluster["Ingress"]["metadata"]["annotations"]
    assert annotations["nginx.ingress.kubernetes.io/enable-access-log"] == "false"
    assert '"error-log-path": "/dev/null"' in (DEPLOY / "kubernetes.yaml").read_text("utf-8")
    of_requests = NGINX.partition("\nhttp {")[2]
    assert re.findall(r"^ *(access_log|error_log) (.+);", of_requests, re.MULTILINE) == [
        ("access_log", "off"),
        ("error_log", "/dev/null emerg"),
    ]


def test_the_app_reads_every_variable_of_the_manifests(compose, cluster):
    known = {limits.TOKENS_VARIABLE, limits.MEMORY_VARIABLE, limits.REPLICAS_VARIABLE}
    known.add(FRAME_ANCESTORS_VARIABLE)
    for names in (
        *(service["environment"] for service in apps(compose).values()),
        cluster["ConfigMap"]["data"],
    ):
        assert {name for name in names if name.startswith("ATTENTION_")} <= known
