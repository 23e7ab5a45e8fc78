"""Zones that ask a server whose certificate only its owner vouches for."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.github.server import TOKEN, GitHub
from tests.fakes.github.world import World
from tests.zones import stream_of

ROOT = Path(__file__).parents[2]


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate for the loopback interface with its key."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("there is no openssl to make a certificate with")
    key, own = tmp_path / "key.pem", tmp_path / "own.pem"
    subprocess.run(
        [
            openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
            "2", "-subj", "/CN=a", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", own,
        ],
        check=True, capture_output=True,
    )  # fmt: skip
    both = tmp_path / "both.pem"
    both.write_bytes(key.read_bytes() + own.read_bytes())
    return both


def publish(server: GitHub, place: Path, **more: str) -> subprocess.CompletedProcess[bytes]:
    """Run the zone that publishes on a schedule."""
    (place / "work").mkdir()
    variables = {
        "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "GITHUB_TOKEN": TOKEN, "GITHUB_API_URL": server.api,
        "GITHUB_REPOSITORY": "acme/shop", "GITHUB_ACTOR": "ada", "GITHUB_EVENT_NAME": "schedule", "GITHUB_RUN_ID": "9",
        "GITHUB_RUN_ATTEMPT": "1", "GITHUB_SHA": server.world.branches["main"], "GITHUB_REF": "refs/heads/main",
        "TMPDIR": str(place), **more,
    }  # fmt: skip
    payload = {"repository": {"id": 1001, "default_branch": "main"}}
    return subprocess.run(
        [sys.executable, "-m", "evaluator", "action", "--work", str(place / "work"), "publish", "--config",
         "rag-assay.yml", "--suite", "shop", "--issue", "--failure", "it broke"],
        cwd=place, env=variables, input=stream_of({"event.json": json.dumps(payload).encode()}).getvalue(),
        capture_output=True, check=False, timeout=60,
    )  # fmt: skip


def test_a_server_that_only_its_owner_vouches_for_is_asked_where_he_is_named(certificate: Path, tmp_path: Path) -> None:
    """Else nothing is shown to it, and what could not be told is a warning."""
    github = GitHub(World())
    github.certificate = certificate
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    with github:
        github.world.add_commit()
        refused = publish(github, tmp_path / "one")
        assert (refused.returncode, github.calls) == (0, [])
        assert b"not trusted" in refused.stdout

        told = publish(github, tmp_path / "two", RAG_ASSAY_CA=(tmp_path / "own.pem").read_text())
        assert (told.returncode, told.stdout) == (0, b"")
        assert len(github.world.issues) == 1


def test_what_is_no_certificate_is_named(tmp_path: Path) -> None:
    """By the variable that names the file, and as a mistake."""
    with GitHub(World()) as github:
        github.world.add_commit()
        done = publish(github, tmp_path, RAG_ASSAY_CA="no certificate")

    assert done.returncode == 2
    assert b"the file that NODE_EXTRA_CA_CERTS names holds no certificates" in done.stderr
