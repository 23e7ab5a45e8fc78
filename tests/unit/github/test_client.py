"""The client against a GitHub that pages, limits, moves, breaks and sends it elsewhere."""

from __future__ import annotations

import io
import shutil
import subprocess
from email.utils import formatdate
from pathlib import Path

import pytest
import requests

from evaluator import errors
from evaluator.github.client import Access
from tests.fakes.github.server import DROPPED, FORBIDDEN, TOKEN, Fault, GitHub, limited
from tests.fakes.github.world import World
from tests.github import NOON, Connect, StoppedClock

HERE = "/repos/acme/shop"


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate for the loopback interface that nobody vouches for, with its key."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("there is no openssl to make a certificate with")
    file = tmp_path / "certificate.pem"
    subprocess.run(
        [
            openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
            "2", "-subj", "/CN=a", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", file, "-out", tmp_path / "cert",
        ],
        check=True, capture_output=True,
    )  # fmt: skip
    file.write_bytes(file.read_bytes() + (tmp_path / "cert").read_bytes())
    return file


class TestErrors:
    """What is raised where GitHub refuses."""

    @pytest.mark.parametrize(
        ("status", "kind"),
        [
            (401, errors.Forbidden), (403, errors.Forbidden), (404, errors.NotFound), (410, errors.Gone),
            (409, errors.GitHubError), (422, errors.GitHubError), (429, errors.RateLimited),
        ],
    )  # fmt: skip
    def test_each_status_has_its_kind(
        self, server: GitHub, connect: Connect, status: int, kind: type[errors.GitHubError]
    ) -> None:
        """The kind says what to do about it, the sentence what was asked and what GitHub said."""
        server.fail(Fault(status, "Said so"), times=9)
        path = f"{HERE}/actions/artifacts/1/zip" if status == 410 else f"{HERE}/commits/main"

        with pytest.raises(errors.GitHubError, match=f"GET {path} with {status}: Said so") as caught:
            connect(server.api, waiting=0).get(path)
        assert type(caught.value) is kind
        assert len(server.calls) == 1

    def test_the_details_of_a_refusal_are_told(self, server: GitHub, connect: Connect) -> None:
        """What is wrong with a value stands behind GitHub's headline."""
        server.world.add_pull(server.world.branches["main"])

        with pytest.raises(errors.GitHubError, match="Body cannot be blank"):
            connect(server.api).send("POST", f"{HERE}/issues/1/comments", {"body": " "})

    def test_a_missing_permission_is_not_asked_for_again(
        self, server: GitHub, connect: Connect, clock: StoppedClock
    ) -> None:
        """The read-only token of a fork's pull request costs one call and no wait (G4)."""
        server.fail(FORBIDDEN._replace(headers={"x-ratelimit-remaining": "0"}), times=9)

        with pytest.raises(errors.Forbidden, match="Resource not accessible by integration"):
            connect(server.api).send("POST", f"{HERE}/issues/1/comments", {"body": "x"})
        assert (len(server.calls), clock.slept, connect.log) == (1, [], [])

    def test_foreign_words_cannot_break_out_of_their_line(self, server: GitHub, connect: Connect) -> None:
        """What GitHub says is one line of bounded length, without what does not print."""
        server.fail(Fault(404, "a\n::error::b\x1b[31m" + "x" * 9999))

        with pytest.raises(errors.NotFound) as caught:
            connect(server.api).get(f"{HERE}/pulls/1")
        assert str(caught.value).isprintable()
        assert "a ::error::b [31mxx" in str(caught.value)
        assert len(str(caught.value)) < 400

    @pytest.mark.parametrize("body", ["<html>", "[1, 2", '{"message": 5, "errors": {"a": NaN}}', "[[" * 9000, "[]"])
    def test_an_error_that_is_no_json_is_still_its_status(self, server: GitHub, connect: Connect, body: str) -> None:
        """A proxy's page in place of GitHub's words is no crash."""
        server.fail(Fault(404, body=body))

        with pytest.raises(errors.NotFound, match=r"with 404$"):
            connect(server.api).get(f"{HERE}/pulls/1")

    @pytest.mark.parametrize("body", ["<html>", '{"a": NaN}', "[" * 100_000, '{"a": 1'])
    def test_an_answer_that_is_no_json_is_told(self, server: GitHub, connect: Connect, body: str) -> None:
        """What cannot be read is an error with a sentence."""
        server.fail(Fault(200, body=body))

        with pytest.raises(errors.GitHubError, match="is not JSON"):
            connect(server.api).get(f"{HERE}/pulls/1")


class TestLimits:
    """Limits are waited for as GitHub says, and not for ever."""

    @pytest.mark.parametrize("status", [403, 429])
    @pytest.mark.parametrize(
        ("headers", "wait"),
        [
            ({"retry-after": "7"}, 7.0),
            ({"retry-after": formatdate(NOON + 9, usegmt=True)}, 9.0),
            ({"retry-after": "7", "x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(NOON) + 50)}, 7.0),
            ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(NOON) + 42)}, 42.0),
            ({}, 60.0),
            ({"retry-after": "soon"}, 60.0),
        ],
        ids=["seconds", "a date", "both", "the reset", "neither", "nonsense"],
    )
    def test_they_are_waited_for(
        self, server: GitHub, connect: Connect, status: int, headers: dict[str, str], wait: float
    ) -> None:
        """Retry-After counts first, then the reset of a limit that is used up, else a minute; then it works (G5)."""
        server.world.add_pull(server.world.branches["main"])
        server.fail(limited(status, **{name.replace("-", "_"): value for name, value in headers.items()}))

        connect(server.api).send("POST", f"{HERE}/issues/1/comments", {"body": "x"})

        assert connect.clock.slept == [wait]
        assert len(server.world.comments) == 1
        assert [f"trying again in {wait:.0f} s" in said for said in connect.log] == [True]

    def test_the_waits_of_a_run_are_bounded(self, server: GitHub, connect: Connect, clock: StoppedClock) -> None:
        """Without a word from GitHub it is 60 s and then 120 s, which is longer than a run waits in all (G5)."""
        server.fail(limited(), times=9)

        with pytest.raises(errors.RateLimited, match="asks to wait longer than this run does"):
            connect(server.api).get(HERE)
        assert clock.slept == [60.0]

    def test_who_waits_too_long_is_not_waited_for_nor_asked_again(
        self, server: GitHub, connect: Connect, clock: StoppedClock
    ) -> None:
        """A reset in an hour ends publishing at once: GitHub blocks those who go on asking (G5)."""
        server.fail(limited(x_ratelimit_remaining=0, x_ratelimit_reset=int(NOON) + 3600))
        client = connect(server.api)

        for _ in range(3):
            with pytest.raises(errors.RateLimited):
                client.get(HERE)
        assert (len(server.calls), clock.slept) == (1, [])

    def test_a_clock_that_is_wrong_changes_nothing(self, server: GitHub, connect: Connect, clock: StoppedClock) -> None:
        """A reset is counted from the time of GitHub's own answer."""
        server.fail(
            limited(x_ratelimit_remaining=0, x_ratelimit_reset=int(NOON) + 42, date=formatdate(NOON, usegmt=True))
        )
        clock.at = NOON + 5000

        connect(server.api).get(HERE)

        assert clock.slept == [42.0]

    def test_waits_of_several_calls_add_up(self, server: GitHub, connect: Connect, clock: StoppedClock) -> None:
        """What one call has waited is gone for the next."""
        server.fail(limited(429, retry_after=80))
        client = connect(server.api)
        client.get(HERE)
        server.fail(limited(429, retry_after=80))

        with pytest.raises(errors.RateLimited):
            client.get(HERE)
        assert clock.slept == [80.0]

    def test_a_run_makes_so_many_calls_and_no_more(self, server: GitHub, connect: Connect) -> None:
        """The budget counts every call, and is told."""
        client = connect(server.api, calls=2)
        client.get(HERE)
        client.get(HERE)

        with pytest.raises(errors.RateLimited, match="made its 2 calls"):
            client.get(HERE)
        assert len(server.calls) == 2


class TestFaults:
    """What breaks is tried again where that cannot do harm."""

    @pytest.mark.parametrize("fault", [Fault(502), Fault(503), DROPPED, Fault(200, cut="body", body='{"a": 1}')])
    def test_reading_is_tried_again(self, server: GitHub, connect: Connect, clock: StoppedClock, fault: Fault) -> None:
        """Two failures, the second wait twice the first, then the answer."""
        server.fail(fault, times=2)

        assert connect(server.api).get(HERE)["full_name"] == "acme/shop"
        assert clock.slept == [1.0, 2.0]

    def test_after_four_tries_it_is_over(self, server: GitHub, connect: Connect, clock: StoppedClock) -> None:
        """GitHub that stays broken is told as that."""
        server.fail(Fault(500), times=9)

        with pytest.raises(errors.Unreachable, match="with 500"):
            connect(server.api).get(HERE)
        assert (len(server.calls), clock.slept) == (4, [1.0, 2.0, 4.0])

    def test_a_server_that_is_away_for_long_is_not_waited_for(self, server: GitHub, connect: Connect) -> None:
        """Maintenance of an hour is longer than a run waits; the next call is made all the same."""
        server.fail(Fault(503, headers={"Retry-After": "3600"}))
        client = connect(server.api)

        with pytest.raises(errors.Unreachable, match="longer than this run does"):
            client.get(HERE)
        assert client.get(HERE)["id"] == server.world.repo.id
        assert connect.clock.slept == []

    @pytest.mark.parametrize("fault", [Fault(502, after=True), Fault(cut="before", after=True)])
    def test_a_comment_is_not_written_twice(self, server: GitHub, connect: Connect, fault: Fault) -> None:
        """Writing that may have worked is not done again."""
        server.world.add_pull(server.world.branches["main"])
        server.fail(fault)

        with pytest.raises(errors.Unreachable):
            connect(server.api).send("POST", f"{HERE}/issues/1/comments", {"body": "x"})
        assert len(server.world.comments) == 1

    def test_what_is_as_good_twice_is_done_again(self, server: GitHub, connect: Connect) -> None:
        """A status that may have been set is set again."""
        server.fail(Fault(502, after=True))
        sha = server.world.branches["main"]

        connect(server.api).send("POST", f"{HERE}/statuses/{sha}", {"state": "success"}, repeatable=True)

        assert [each.state for each in server.world.statuses] == ["success", "success"]

    def test_no_server_is_told_after_every_try(self, connect: Connect, clock: StoppedClock) -> None:
        """Nothing listens: also writing is tried again, since it never arrived."""
        with GitHub() as gone:
            api = gone.api

        with pytest.raises(errors.Unreachable, match=r"does not answer POST .*: no connection could be made$"):
            connect(api).send("POST", f"{HERE}/issues", {"title": "x"})
        assert clock.slept == [1.0, 2.0, 4.0]

    def test_an_answer_that_does_not_end_is_left(self, server: GitHub, connect: Connect) -> None:
        """However steadily it drips, an answer has two minutes."""
        client = connect(server.api, tries=1)
        client._transport._seconds = iter(range(0, 10_000, 121)).__next__

        with pytest.raises(errors.Unreachable, match="was not there after 120 s"):
            client.get(HERE)


class TestPages:
    """Lists over several pages."""

    @pytest.mark.parametrize("count", [0, 1, 100, 101, 301])
    def test_all_of_them_are_read(self, server: GitHub, connect: Connect, count: int) -> None:
        """Hundred at a time, by the links that GitHub gives."""
        server.world.add_pull(server.world.branches["main"])
        for number in range(count):
            server.world.add_comment(1, str(number))
        listing = connect(server.api).listed(f"{HERE}/issues/1/comments")

        assert [each["body"] for each in listing.items] == [str(number) for number in range(count)]
        assert listing.complete
        assert len(server.calls) == max(-(-count // 100), 1)

    def test_a_list_that_was_not_read_to_its_end_says_so(self, server: GitHub, connect: Connect) -> None:
        """So many pages are read and no more."""
        server.world.add_pull(server.world.branches["main"])
        for number in range(301):
            server.world.add_comment(1, str(number))

        listing = connect(server.api).listed(f"{HERE}/issues/1/comments", most=3)

        assert (len(listing.items), listing.complete) == (300, False)

    def test_a_link_to_another_server_is_not_followed(self, server: GitHub, connect: Connect) -> None:
        """The token is shown to the server of the API and to no other (G10)."""
        server.world.add_pull(server.world.branches["main"])
        with GitHub() as other:
            link = f'<{other.api}{HERE}/issues/1/comments?page=2>; rel="next"'
            server.fail(Fault(200, headers={"Link": link}, body="[]"))

            with pytest.raises(errors.GitHubError, match="leads to another server"):
                connect(server.api).listed(f"{HERE}/issues/1/comments")
            assert other.calls == []

    @pytest.mark.parametrize("body", ["{}", '{"artifacts": 5}', '{"artifacts": null}', "[1]", "5", "null"])
    def test_what_is_no_list_is_told(self, server: GitHub, connect: Connect, body: str) -> None:
        """An answer of another form is an error, not an empty list."""
        server.fail(Fault(200, body=body))

        with pytest.raises(errors.GitHubError, match="is no list"):
            connect(server.api).listed(f"{HERE}/actions/artifacts", "artifacts")


class TestWhereTheTokenGoes:
    """The token is shown to GitHub's API alone."""

    def test_a_download_from_another_server_does_not_have_it(self, server: GitHub, connect: Connect) -> None:
        """Archives are elsewhere, and there is no Authorization header there (G10)."""
        artifact = server.world.add_artifact("a", b"archive", None)
        into = io.BytesIO()

        connect(server.api).download(f"{HERE}/actions/artifacts/{artifact.id}/zip", into, 100)

        assert into.getvalue() == b"archive"
        assert ["authorization" in call.headers for call in server.calls] == [True]
        assert ["authorization" in call.headers for call in server.downloads] == [False]

    def test_a_netrc_is_not_read(
        self, server: GitHub, connect: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A file of passwords takes neither the token's place nor is it shown to the host of archives."""
        (tmp_path / "netrc").write_text("machine 127.0.0.1 login ada password secret\n")
        (tmp_path / "netrc").chmod(0o600)
        monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
        artifact = server.world.add_artifact("a", b"archive", None)

        connect(server.api).download(f"{HERE}/actions/artifacts/{artifact.id}/zip", io.BytesIO(), 100)

        assert [call.headers["authorization"] for call in server.calls] == [f"Bearer {TOKEN}"]

    def test_a_proxy_of_the_environment_is_used(
        self, server: GitHub, connect: Connect, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Who reaches GitHub through a proxy only is asked nothing more than the usual variable."""
        monkeypatch.setenv("HTTP_PROXY", server.api)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)

        assert connect("http://github.invalid").get(HERE)["id"] == server.world.repo.id

    def test_a_certificate_of_ones_own_is_believed_when_it_is_named(
        self, connect: Connect, certificate: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A server that nobody vouches for is asked nothing; REQUESTS_CA_BUNDLE says who does."""
        github = GitHub()
        github.certificate = certificate
        with github:
            artifact, into = github.world.add_artifact("a", b"archive", None), io.BytesIO()
            with pytest.raises(errors.Unreachable, match="not trusted: REQUESTS_CA_BUNDLE names"):
                connect(github.api).get(HERE)
            monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificate.with_name("none.pem")))
            with pytest.raises(errors.Unreachable, match="file that REQUESTS_CA_BUNDLE names is not there"):
                connect(github.api).get(HERE)
            assert (github.calls, connect.clock.slept) == ([], [])
            monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificate))
            connect(github.api).download(f"{HERE}/actions/artifacts/{artifact.id}/zip", into, 100)

        assert into.getvalue() == b"archive"

    @pytest.mark.parametrize("token", ["two\nlines", "päss", "Zażółć"])
    def test_a_token_that_cannot_be_sent_is_not_shown(self, server: GitHub, connect: Connect, token: str) -> None:
        """A mangled secret is told without repeating it."""
        with pytest.raises(errors.GitHubError) as caught:
            connect(server.api, token=token, tries=1).get(HERE)
        assert token not in str(caught.value)
        assert caught.value.__cause__ is None

    def test_the_end_of_its_line_does_not_matter(self, server: GitHub, connect: Connect) -> None:
        """A secret that was pasted with a line end works."""
        assert connect(server.api, token=f"{TOKEN}\n").get(HERE)["id"] == server.world.repo.id

    def test_it_is_in_no_representation(self) -> None:
        """Printing what there is to connect does not print the token."""
        assert TOKEN not in repr(Access("https://api.github.com", TOKEN))


class Elsewhere(requests.adapters.BaseAdapter):
    """Answers every request with a redirect to an address."""

    def __init__(self, location: str) -> None:
        super().__init__()
        self.location = location

    def send(self, request: requests.PreparedRequest, **_: object) -> requests.Response:
        response = requests.Response()
        response.status_code, response.url, response.raw = 302, request.url or "", io.BytesIO()
        response.request, response.headers["Location"] = request, self.location
        return response

    def close(self) -> None:
        """Nothing is open."""


class TestWhatWasMoved:
    """Repositories that have another name now."""

    def test_it_is_found_again(self, server: GitHub, connect: Connect) -> None:
        """Reading and writing go where GitHub says, and writing stays writing."""
        server.world.renamed.add("acme/store")
        server.world.add_pull(server.world.branches["main"])
        client = connect(server.api)

        client.send("POST", "/repos/acme/store/issues/1/comments", {"body": "x"})

        [comment] = client.listed("/repos/acme/store/issues/1/comments").items
        assert comment["body"] == "x"

    def test_it_is_not_looked_for_on_another_server(self, server: GitHub, connect: Connect) -> None:
        """A redirect of the API that leaves it is not followed (G10)."""
        with GitHub() as other:
            server.fail(Fault(301, headers={"Location": f"{other.api}{HERE}"}))

            with pytest.raises(errors.GitHubError, match="leads to another server"):
                connect(server.api).get(HERE)
            assert other.calls == []

    def test_a_circle_ends(self, server: GitHub, connect: Connect) -> None:
        """What is moved to itself is given up."""
        server.fail(Fault(301, headers={"Location": f"{server.api}{HERE}"}), times=99)

        with pytest.raises(errors.GitHubError, match="was moved too often"):
            connect(server.api).get(HERE)
        assert len(server.calls) == 4


class TestEnterprise:
    """GitHub on a server of one's own."""

    @pytest.mark.parametrize("end", ["", "/"])
    def test_its_address_is_used_as_it_is_given(self, connect: Connect, end: str) -> None:
        """The path stays, a slash at the end does no harm, and pages, moves and downloads work (G16)."""
        with GitHub(World(), prefix="/api/v3") as enterprise:
            world = enterprise.world
            world.add_pull(world.add_commit())
            for number in range(101):
                world.add_comment(1, str(number))
            artifact = world.add_artifact("a", b"archive", None)
            client, into = connect(f"{enterprise.api}{end}"), io.BytesIO()

            assert len(client.listed(f"{HERE}/issues/1/comments").items) == 101
            client.download(f"{HERE}/actions/artifacts/{artifact.id}/zip", into, 100)
        assert into.getvalue() == b"archive"

    @pytest.mark.parametrize(
        "url",
        [
            "", "github.com", "ftp://github.com", "https://", "https://ada:pw@github.com", "https://a.b?a=1",
            "https://a.b:port", "https://[a.b", "https://a.b /x",
        ],
    )  # fmt: skip
    def test_what_is_no_address_is_told(self, connect: Connect, url: str) -> None:
        """A wrong address is a mistake of the one who gave it."""
        with pytest.raises(errors.UsageError, match="GITHUB_API_URL"):
            connect(url)


class _Device(io.RawIOBase):
    """A device as a stream that can be rewound."""

    def __init__(self, device: io.RawIOBase) -> None:
        self._device = device

    def write(self, data: object) -> int | None:
        return self._device.write(data)

    def seek(self, at: int, _whence: int = 0) -> int:
        return at

    def truncate(self, _size: int | None = None) -> int:
        return 0


class TestDownloads:
    """Archives, whatever is in them."""

    def test_more_than_is_taken_is_left(self, server: GitHub, connect: Connect) -> None:
        """An archive above the limit is not read to its end."""
        artifact = server.world.add_artifact("a", b"x" * 500_000, None)
        into = io.BytesIO()

        with pytest.raises(errors.GitHubError, match="larger than 100000 bytes"):
            connect(server.api).download(f"{HERE}/actions/artifacts/{artifact.id}/zip", into, 100_000)
        assert len(into.getvalue()) <= 100_000

    def test_an_address_that_has_run_out_is_asked_for_again(
        self, server: GitHub, connect: Connect, clock: StoppedClock
    ) -> None:
        """The second try begins at GitHub, and nothing of the first is left in the stream."""
        artifact = server.world.add_artifact("a", b"archive", None)
        other = server.files.link(b"another", clock.at - 1)
        server.fail(Fault(302, headers={"Location": other}))
        into = io.BytesIO(b"what was there")

        connect(server.api).download(f"{HERE}/actions/artifacts/{artifact.id}/zip", into, 100)

        assert into.getvalue() == b"archive"
        assert [call.status for call in server.downloads] == [403, 200]

    def test_an_archive_that_has_expired_is_gone(self, server: GitHub, connect: Connect) -> None:
        """GitHub's 410 is an error of its own kind."""
        artifact = server.world.add_artifact("a", b"", None, age=91 * 86400.0)

        with pytest.raises(errors.Gone, match="Artifact has expired"):
            connect(server.api).download(f"{HERE}/actions/artifacts/{artifact.id}/zip", io.BytesIO(), 100)

    def test_an_address_that_is_not_encrypted_is_not_asked(self, server: GitHub, connect: Connect) -> None:
        """What comes from GitHub by way of a server that anybody could be is not taken."""
        client = connect("https://api.github.com")
        connect.sessions[-1].mount("https://", Elsewhere(server.files.link(b"archive", NOON + 60)))

        with pytest.raises(errors.GitHubError, match="not encrypted"):
            client.download(f"{HERE}/actions/artifacts/1/zip", io.BytesIO(), 100)
        assert server.downloads == []

    def test_a_full_disk_is_not_githubs_fault(self, server: GitHub, connect: Connect) -> None:
        """A stream that cannot be written is told as that, and nothing is tried again."""
        artifact = server.world.add_artifact("a", b"x" * 200_000, None)

        with (
            Path("/dev/full").open("r+b", buffering=0) as full,
            pytest.raises(errors.FileProblem, match="No space left"),
        ):
            connect(server.api).download(f"{HERE}/actions/artifacts/{artifact.id}/zip", _Device(full), 1 << 20)
        assert len(server.downloads) == 1

    def test_a_chain_of_addresses_ends(self, server: GitHub, connect: Connect) -> None:
        """An archive that is moved on and on is given up, and an empty one is not taken for it."""
        server.fail(Fault(302, headers={"Location": f"{server.api}{HERE}/actions/artifacts/1/zip"}), times=99)

        with pytest.raises(errors.GitHubError, match="moved too often"):
            connect(server.api).download(f"{HERE}/actions/artifacts/1/zip", io.BytesIO(), 100)
