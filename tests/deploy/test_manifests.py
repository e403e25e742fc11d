"""Names, ports and limits are the same in nginx.conf, both manifests and the image."""

import re
import tomllib

import pytest
import yaml
from streamlit import config

from deploy.serve import REPLICAS_VARIABLE, SECRET_VARIABLE
from deploy.site import site_conf
from tests.server import ROOT
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
    return {one["kind"]: one for one in yaml.safe_load_all(text)}


def apps(compose) -> dict[str, dict]:
    return {name: one for name, one in compose["services"].items() if name != "nginx"}


def test_the_replicas_of_compose_are_those_that_nginx_knows(compose):
    found = {
        f"{name}:{one['environment']['STREAMLIT_SERVER_PORT']}"
        for name, one in apps(compose).items()
    }
    shipped = (DEPLOY / "site.conf").read_text(encoding="utf-8")
    assert shipped == site_conf(sorted(found), ("localhost", "127.0.0.1"))
    assert {one["environment"][REPLICAS_VARIABLE] for one in apps(compose).values()} == {len(found)}
    assert compose["services"]["nginx"]["depends_on"].keys() == apps(compose).keys()
    addresses = {one["networks"]["default"]["ipv4_address"] for one in apps(compose).values()}
    assert len(addresses) == len(found)


def test_nginx_finds_its_files_and_is_reached_where_it_listens(compose):
    nginx = compose["services"]["nginx"]
    mounted = dict(volume.split(":")[:2] for volume in nginx["volumes"])
    for here, there in mounted.items():
        assert (DEPLOY / here).is_file()
        assert there == f"/etc/nginx/{here.removeprefix('./')}"
    included = set(re.findall(r"^\s*include (\S+);", NGINX, re.MULTILINE))
    assert {f"./{name}" for name in included} | {"./nginx.conf"} == mounted.keys()
    [port] = re.findall(r"^listen (\d+);", (DEPLOY / "listen.conf").read_text(), re.MULTILINE)
    assert nginx["ports"] == [f"${{PORT:-8080}}:{port}"]
    assert nginx["working_dir"] in nginx["tmpfs"]  # a name without a slash is a socket there


def test_one_secret_and_only_settings_that_there_are(compose, cluster):
    said = [one["environment"] for one in apps(compose).values()]
    [container] = cluster["Deployment"]["spec"]["template"]["spec"]["containers"]
    [secret] = container["env"]
    assert secret["name"] == SECRET_VARIABLE
    assert "secretKeyRef" in secret["valueFrom"]
    assert {environment[SECRET_VARIABLE].partition(":?")[0] for environment in said} == {
        "${COOKIE_SECRET"
    }
    for environment in (*said, cluster["ConfigMap"]["data"]):
        streamlit = {name for name in environment if name.startswith("STREAMLIT_")}
        assert streamlit <= OPTIONS
        assert "STREAMLIT_SERVER_ALLOWED_HOSTS" in streamlit
    assert all(type(value) is str for value in cluster["ConfigMap"]["data"].values())


def test_the_cluster_is_wired_from_the_ingress_to_the_port(cluster):
    deployment, service = cluster["Deployment"]["spec"], cluster["Service"]["spec"]
    [container] = deployment["template"]["spec"]["containers"]
    labels = deployment["template"]["metadata"]["labels"]
    assert deployment["selector"]["matchLabels"] == service["selector"] == labels
    assert cluster["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"] == labels
    [port], [outside] = container["ports"], service["ports"]
    settings = cluster["ConfigMap"]["data"]
    assert (port["name"], str(port["containerPort"])) == ("http", settings["STREAMLIT_SERVER_PORT"])
    assert outside["targetPort"] == port["name"]
    assert container["envFrom"] == [{"configMapRef": cluster["ConfigMap"]["metadata"]}]
    assert settings[REPLICAS_VARIABLE] == str(deployment["replicas"])
    [rule] = cluster["Ingress"]["spec"]["rules"]
    [path] = rule["http"]["paths"]
    backend = path["backend"]["service"]
    assert backend == {
        "name": cluster["Service"]["metadata"]["name"],
        "port": {"name": outside["name"]},
    }
    assert rule["host"] in settings["STREAMLIT_SERVER_ALLOWED_HOSTS"].split()
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        asked = container[probe]["httpGet"]
        assert (asked["path"], asked["port"]) == ("/_stcore/health", "http")
    mounts = {mount["name"] for mount in container["volumeMounts"]}
    assert mounts == {volume["name"] for volume in deployment["template"]["spec"]["volumes"]}


def test_an_upload_that_the_app_takes_fits_through_every_proxy(cluster):
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    [allowed] = re.findall(r"client_max_body_size (\d+)m;", NGINX)
    in_cluster = cluster["Ingress"]["metadata"]["annotations"][
        "nginx.ingress.kubernetes.io/proxy-body-size"
    ]
    assert in_cluster == f"{allowed}m"
    assert settings["server"]["maxUploadSize"] < int(allowed)


def test_what_is_kept_fits_into_half_the_memory(compose):
    for one in apps(compose).values():
        gibibytes = int(one["mem_limit"].removesuffix("g"))
        kept = one["environment"][limits.MEMORY_VARIABLE]
        assert kept < gibibytes * 2**30 / 2  # the other half is the app itself


def test_nobody_is_root_and_nothing_is_written_outside_of_scratch(compose, cluster):
    for one in compose["services"].values():
        assert one["read_only"]
        assert one["cap_drop"] == ["ALL"]
    pod = cluster["Deployment"]["spec"]["template"]["spec"]
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    [user] = re.findall(r"^USER (\d+)$", dockerfile, re.MULTILINE)
    assert pod["securityContext"]["runAsUser"] == int(user) > 0
    [container] = pod["containers"]
    assert container["securityContext"]["readOnlyRootFilesystem"]
