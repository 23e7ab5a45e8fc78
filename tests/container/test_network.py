"""What a pipeline reaches: nothing, a service of the job, or the hosts that the workflow names and nothing else."""

from __future__ import annotations

import http.server
import json
import threading
import uuid
from typing import TYPE_CHECKING, Any

import pytest

from tests.container.world import Forge, address, docker, suite

if TYPE_CHECKING:
    from collections.abc import Iterator

KEY = "a-password-of-the-machine"
ASKS = """
import json, os, socket, urllib.error, urllib.request

def reach(url):
    try:
        return urllib.request.urlopen(url, timeout=20).read().decode()
    except urllib.error.HTTPError as error:
        return f"{error.code} {error.read().decode()}"
    except OSError as error:
        return f"failed {error}"

def connect(host, port):
    try:
        socket.create_connection((host, port), timeout=3).close()
        return "connected"
    except OSError as error:
        return f"failed {error}"

def named(host):
    try:
        return socket.gethostbyname(host)
    except OSError as error:
        return f"failed {error}"

def answer(question):
    told = json.load(open("ask.json"))
    found = {"urls": [reach(url) for url in told["urls"]], "direct": [connect(*each) for each in told["direct"]]}
    found["names"] = [named(name) for name in told["names"]]
    found["ipv6"] = open("/proc/net/if_inet6").read() if os.path.exists("/proc/net/if_inet6") else ""
    found["tunnel"] = tunnel(told["tunnel"]) if told.get("tunnel") else None
    found["environment"] = sorted(name for name in os.environ)
    return {"retrieved": [], "answer": json.dumps(found)}

def tunnel(where):
    import http.client
    proxy = os.environ["HTTPS_PROXY"].removeprefix("http://")
    link = http.client.HTTPConnection(proxy, timeout=20)
    link.set_tunnel(where)
    try:
        link.request("GET", "/tunnel")
        return link.getresponse().read().decode()
    except OSError as error:
        return f"failed {error}"
"""


class Hello(http.server.BaseHTTPRequestHandler):
    """Says which path it was asked for."""

    def do_GET(self) -> None:
        """Answer."""
        body = f"hello {self.path}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nothing."""


@pytest.fixture
def server() -> Iterator[str]:
    """Host and port of a server on this machine, which open networks reach."""
    with http.server.ThreadingHTTPServer((address(), 0), Hello) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"{address()}:{running.server_port}"
        running.shutdown()


def asking(forge: Forge, **told: Any) -> None:
    """Commit a pipeline that tries to reach what it is told."""
    suite(forge, ASKS, questions=1)
    forge.inputs["upload"] = "full"
    forge.commit({"ask.json": json.dumps({"urls": [], "direct": [], "names": [], **told})}, branch="change")


def test_with_egress_a_pipeline_reaches_the_named_hosts_only(forge: Forge, server: str) -> None:
    """By the proxy; directly it reaches neither machine nor gateway nor internet, and no name means anything to it."""
    host, port = server.split(":")
    others = [f"http://{server.replace(port, '1')}/", "http://evil.example.org/"]
    direct = [[host, int(port)], ["9.9.9.9", 443], ["10.88.0.1", 22], ["169.254.169.254", 80]]
    asking(
        forge, urls=[f"http://{server}/plain", *others], direct=direct, names=["example.org", "localhost"],
        tunnel=server,
    )  # fmt: skip
    forge.inputs |= {"network": "egress", "egress-hosts": f"{server}, api.example.com"}
    forge.environment["ALL_PROXY"] = f"http://me:{KEY}@127.0.0.1:9"

    result = forge.pull_request()
    found = result.answers()["q0"]

    assert found["urls"][0] == "hello /plain", result.log
    assert found["tunnel"] == "hello /tunnel"
    assert [each.split(" ")[0] for each in found["urls"][1:]] == ["403", "403"]
    assert [each.split(" ")[0] for each in found["direct"]] == ["failed"] * 4
    assert found["ipv6"] == ""  # by which the machine's end of the network has an address
    assert found["names"][0].startswith("failed")
    assert found["names"][1] == "127.0.0.1"
    assert {"HTTP_PROXY", "https_proxy", "NO_PROXY"} <= set(found["environment"])
    assert "ALL_PROXY" not in found["environment"]
    assert "refused: evil.example.org:80 is not among the hosts" in result.log
    assert KEY not in (result.artifact / "records.jsonl").read_text()


def test_a_service_of_the_job_is_reached_by_its_name(forge: Forge) -> None:
    """On the network that the workflow names, which is there before and after."""
    network = f"job-{uuid.uuid4().hex[:8]}"
    docker("network", "create", network)
    serve = "python3 -m http.server 6333 --directory /etc/apt"
    docker(
        "run", "--rm", "--detach", "--name", network, "--network", network, "--network-alias", "qdrant",
        "python:3.13-slim-trixie", "sh", "-c", serve,
    )  # fmt: skip
    try:
        asking(forge, urls=["http://qdrant:6333/sources.list"])
        forge.inputs["network"] = network
        result = forge.pull_request()
        assert "deb" in result.answers()["q0"]["urls"][0], result.log
        assert docker("network", "inspect", "--format", "{{.Name}}", network) == network
    finally:
        docker("rm", "--force", network)
        docker("network", "rm", network)


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({"network": "egress"}, "needs the input egress-hosts"),
        ({"network": "no-such-network"}, "docker has no network of that name"),
    ],
)
def test_a_network_that_cannot_be_is_a_mistake(forge: Forge, inputs: dict[str, str], said: str) -> None:
    """Before anything is measured."""
    asking(forge)
    forge.inputs |= inputs

    result = forge.pull_request()

    assert (result.passed, result.code) == (False, 2)
    assert said in result.summary
