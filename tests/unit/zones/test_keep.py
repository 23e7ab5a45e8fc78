"""The zones that ask GitHub, and the commands of a laptop: from their input to what they hand on."""

from __future__ import annotations

import hashlib
import io
import json
import re
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

from evaluator import errors
from evaluator.cli import root as command
from evaluator.cli.console import Console
from evaluator.cli.session import Session
from evaluator.model.baseline import artifact_name
from evaluator.zones import archive, fetch, fetched, keep, keeping
from tests.baselines import WORKFLOW, Baselines
from tests.fakes.github.server import TOKEN, Fault
from tests.zones import files_in, stream_of

PULL = {"GITHUB_EVENT_NAME": "pull_request"}


GROUP = {"GITHUB_EVENT_NAME": "merge_group"}


class Zones:
    """The zones on a fake GitHub, as the Action runs them."""

    def __init__(self, baselines: Baselines, place: Path) -> None:
        self.baselines, self.place, self.world = baselines, place, baselines.world
        self.log: list[str] = []

    def variables(self, sha: str, **more: str) -> dict[str, str]:
        """What a runner sets."""
        return {
            "GITHUB_EVENT_NAME": "push", "GITHUB_REPOSITORY": "acme/shop", "GITHUB_ACTOR": "ada", "GITHUB_RUN_ID": "9",
            "GITHUB_RUN_ATTEMPT": "1", "GITHUB_SHA": sha, "GITHUB_REF": "refs/heads/main",
            "GITHUB_WORKFLOW_REF": f"acme/shop/{WORKFLOW}@refs/heads/main", **more,
        }  # fmt: skip

    def pull(self, head: str) -> dict[str, Any]:
        """The payload of a pull request."""
        made = self.world.add_pull(head)
        ours = {"id": self.world.repo.id, "full_name": "acme/shop", "default_branch": "main"}
        sides = {"head": ("feature", made.head_sha), "base": ("main", made.base_sha)}
        return {
            "action": "synchronize", "repository": ours,
            "pull_request": {
                "number": made.number, "state": "open", "user": {"login": "ada"}, "merge_commit_sha": made.merge_sha,
                **{side: {"ref": ref, "sha": sha, "repo": ours} for side, (ref, sha) in sides.items()},
            },
        }  # fmt: skip

    def fetched(
        self, payload: Any, tested: str, *, token: bool = True, extra: dict[str, bytes] | None = None, **given: Any
    ) -> fetched.Fetched:
        """What fetch hands on, as the next zone takes it."""
        variables = given.pop("variables", {})
        root = self.place / f"room-{len(list(self.place.glob('room-*')))}"
        root.mkdir(parents=True)
        stream = stream_of({"event.json": json.dumps(payload).encode(), **(extra or {})})
        out = io.BytesIO()
        wanted = fetch.Sought(**{"config": "rag-assay.yml", "tier": "retrieval", "tested": tested, **given})
        place = fetch.Workplace(root, self.variables(tested, **variables), self.log.append)
        client = self.baselines.connect(self.baselines.server.api) if token else None
        fetch.fetch(stream, out, wanted, place, client)
        (root / "taken").mkdir()
        return fetched.take(io.BytesIO(out.getvalue()), root / "taken")


def group(zones: Zones, base: str, head: str) -> dict[str, Any]:
    """The payload of a group of a merge queue."""
    said = {
        "base_ref": "refs/heads/main", "base_sha": base, "head_sha": head,
        "head_ref": f"refs/heads/gh-readonly-queue/main/pr-7-{base}",
    }  # fmt: skip
    ours = {"id": zones.world.repo.id, "full_name": "acme/shop", "default_branch": "main"}
    return {"action": "checks_requested", "merge_group": said, "repository": ours}


@pytest.fixture
def zones(baselines: Baselines, tmp_path: Path) -> Zones:
    return Zones(baselines, tmp_path / "zones")


class TestFetch:
    """What the zone hands on."""

    def test_a_pull_request_is_held_to_the_true_parent_of_its_merge(self, zones: Zones, baselines: Baselines) -> None:
        """The base has moved since the event was sent, and again since the merge was made (G19)."""
        baselines.keep(baselines.commit())
        head = zones.world.add_commit("feature")
        true_base = baselines.commit()
        baselines.keep(true_base)
        payload = zones.pull(head)
        payload["pull_request"]["base"]["sha"] = zones.world.commits[true_base].parents[0]
        baselines.keep(baselines.commit())

        got = zones.fetched(payload, payload["pull_request"]["merge_commit_sha"], variables=PULL)

        standard = got.standard("retrieval")
        assert got.found.base == true_base
        assert standard.baseline is not None
        assert json.loads(standard.baseline.read_text())["commit"] == true_base
        assert standard.source.endswith(f"of the base commit {true_base[:12]}")

    def test_a_head_that_was_checked_out_is_held_to_where_it_left(self, zones: Zones, baselines: Baselines) -> None:
        """Nobody made a merge then, so its parents say nothing."""
        fork = baselines.commit()
        head = zones.world.add_commit("feature")
        baselines.commit()
        payload = zones.pull(head)

        assert zones.fetched(payload, head, variables=PULL).found.base == fork

    def test_a_merge_that_somebody_made_himself_names_no_base(self, zones: Zones, baselines: Baselines) -> None:
        """Its first parent would be one of his choice."""
        old = baselines.commit()
        fork = baselines.commit()
        head = zones.world.add_commit("feature", parents=(old, fork))
        payload = zones.pull(head)

        assert zones.fetched(payload, head, variables=PULL).found.base == fork

    def test_a_push_is_held_to_its_first_parent(self, zones: Zones, baselines: Baselines) -> None:
        """Whatever the event says came before: the history may have been replaced."""
        before = baselines.commit()
        now = baselines.commit()
        payload = {"repository": {"default_branch": "main"}, "before": "0" * 40}

        assert zones.fetched(payload, now).found.base == before

    @pytest.mark.parametrize("queued", [0, 2])
    def test_a_group_of_a_merge_queue_is_held_to_what_it_is_merged_into(
        self, zones: Zones, baselines: Baselines, queued: int
    ) -> None:
        """No pull request is in the payload; before it may wait groups that are not on main yet (G7).

        They may be red, and a queue may merge them by the status of the last one: what they bring is no base.
        """
        good = baselines.commit()
        baselines.keep(good)
        base = good
        for number in range(queued):
            files = {"rag-assay.yml": b"suite: mine", "run.json": b"{}"}
            base = zones.world.add_commit(f"gh-readonly-queue/main/pr-{number}-{base}", parents=(base,), files=files)
        tip = zones.world.add_commit(branch=f"gh-readonly-queue/main/pr-7-{base}", parents=(base, "f" * 40))
        zones.world.commits["f" * 40] = zones.world.commits[good]

        held = zones.fetched(
            group(zones, base, tip),
            tip,
            committed="run.json",
            variables=GROUP | {"GITHUB_REF": f"refs/heads/gh-readonly-queue/main/pr-7-{base}"},
        )

        assert (held.found.base, held.found.suite) == (good, "shop")
        assert held.found.deterministic is not None
        assert held.found.deterministic.commit == good
        assert f"of the base commit {good[:12]}" in held.found.deterministic.how

    def test_a_group_is_held_to_what_has_become_of_the_branch(self, zones: Zones, baselines: Baselines) -> None:
        """The group before it was merged meanwhile, and something else past the queue; neither is part of it."""
        good = baselines.commit()
        before = zones.world.add_commit("gh-readonly-queue/main/pr-1", parents=(good,))
        tip = zones.world.add_commit("gh-readonly-queue/main/pr-2", parents=(before,))
        zones.world.branches["main"] = before
        zones.world.add_commit("main")

        assert zones.fetched(group(zones, before, tip), tip, variables=GROUP).found.base == before

    def test_legs_of_a_matrix_are_held_to_their_own(self, zones: Zones, baselines: Baselines) -> None:
        """The nearest run of the suite is another leg's; a leg that kept nothing yet has the suite's (G13)."""
        plain, own = baselines.commit(), baselines.commit()
        baselines.keep(plain)
        baselines.keep(own, variant="py3.12")
        tip = baselines.commit()
        baselines.keep(tip, variant="py3.13")

        found = {
            variant: zones.fetched({}, tip, variant=variant, variables={"GITHUB_EVENT_NAME": "schedule"}).found
            for variant in ("py3.12", "py3.13", "py3.14", "")
        }

        commits = {variant: each.deterministic.commit for variant, each in found.items() if each.deterministic}
        assert commits == {"py3.12": own, "py3.13": tip, "py3.14": plain, "": plain}
        assert "no run of the variant 'py3.14' was kept yet: one without a variant counts" in found["py3.14"].notes
        assert not any("variant" in note for variant in ("", "py3.12") for note in found[variant].notes)

    def test_a_leg_whose_own_run_is_gone_has_lost_it(self, zones: Zones, baselines: Baselines) -> None:
        """It is not compared with another leg's then, nor with the suite's."""
        baselines.keep(baselines.commit())
        tip = baselines.commit()
        baselines.keep(tip, variant="py3.12", artifact={"expired": True})

        found = zones.fetched({}, tip, variant="py3.12", variables={"GITHUB_EVENT_NAME": "schedule"}).found

        assert found.deterministic is None
        assert "it has expired" in found.lost["deterministic"]

    def test_the_first_commit_of_all_has_none(self, zones: Zones, baselines: Baselines) -> None:
        """There is nothing to look for."""
        found = zones.fetched({"repository": {}}, baselines.commit()).found

        assert (found.base, found.lost) == (None, {})

    def test_a_schedule_is_held_to_its_own_commit(self, zones: Zones, baselines: Baselines) -> None:
        """That was measured when it was pushed."""
        now = baselines.commit()
        baselines.keep(now)

        got = zones.fetched({"repository": {}}, now, variables={"GITHUB_EVENT_NAME": "schedule"})

        assert got.found.deterministic is not None
        assert (got.found.base, got.found.deterministic.commit) == (now, now)

    def test_both_halves_and_the_base_are_handed_on_once_each(self, zones: Zones, baselines: Baselines) -> None:
        """A judged run, a newer one without a judge, and the base's own."""
        nightly, good, base = baselines.commit(), baselines.commit(), baselines.commit()
        baselines.keep(nightly, tier="full")
        baselines.keep(good)
        baselines.keep(base, accepted=False, chain=(good,))
        payload = zones.pull(zones.world.add_commit("feature"))

        got = zones.fetched(payload, payload["pull_request"]["merge_commit_sha"], variables=PULL, tier="full")

        assert [path.name for path in sorted(got.root.iterdir())] == [
            "deterministic", "found.json", "inherited", "judged",
        ]  # fmt: skip
        standard = got.standard("full")
        assert standard.baseline is not None
        assert standard.inherited is not None
        assert json.loads(standard.baseline.read_text())["commit"] == nightly
        assert json.loads(standard.inherited.read_text())["commit"] == base

    def test_a_github_that_does_not_answer_leaves_it_open(self, zones: Zones, baselines: Baselines) -> None:
        """It is inconclusive, and no mistake of anybody's (G11)."""
        now = baselines.commit()
        baselines.server.fail(Fault(503), times=50)

        found = zones.fetched({"repository": {}}, now).found

        assert found.lost.keys() == {"deterministic", "judged"}
        assert "what to compare with is not known" in found.lost["deterministic"]

    def test_without_a_token_git_is_all_there_is(self, zones: Zones, baselines: Baselines) -> None:
        """The host has read the file from the clone; GitHub is not asked."""
        run = baselines.run_json("1" * 40)

        got = zones.fetched({}, "2" * 40, token=False, extra={"run.json": run}, source="run.json as of 0123")

        assert got.standard("retrieval").source == "run.json as of 0123"
        assert baselines.server.calls == []

    def test_a_stranger_cannot_name_the_repository(self, zones: Zones, baselines: Baselines) -> None:
        """pull_request_target is refused here too."""
        with pytest.raises(errors.UsageError, match="pull_request_target is refused"):
            zones.fetched({}, baselines.commit(), variables={"GITHUB_EVENT_NAME": "pull_request_target"})


class TestKeep:
    """Copies: made every week, or by a person who accepts."""

    def keeper(self, zones: Zones, variant: str = "") -> keep.Keeper:
        payload = json.dumps({"repository": {"default_branch": "main"}}).encode()
        tip = zones.world.branches["main"]
        variables = zones.variables(tip, GITHUB_EVENT_NAME="schedule")
        client = zones.baselines.connect(zones.baselines.server.api)
        wanted = fetch.Sought("rag-assay.yml", "full", tip, variant=variant)
        around, asked = fetch.asked_here(io.BytesIO(payload), wanted, variables, client)
        zones.place.mkdir(parents=True)
        return keep.Keeper(client, around.repository, asked, zones.place, zones.log.append)

    def test_the_last_accepted_runs_are_copied_with_their_origin(self, zones: Zones, baselines: Baselines) -> None:
        """One of each tier, byte by byte; what main has lost since is not."""
        nightly = baselines.commit()
        baselines.keep(nightly, tier="full", chain=("c" * 40,))
        good = baselines.commit()
        original = baselines.keep(good, chain=("c" * 40,))
        baselines.keep(baselines.commit(), accepted=False, chain=(good,))

        made = self.keeper(zones).refresh()

        assert {(said.tier, said.commit, said.kind, said.chain) for said in made} == {
            ("full", nightly, "refresh", ("c" * 40,)), ("retrieval", good, "refresh", ("c" * 40,)),
        }  # fmt: skip
        with zipfile.ZipFile(io.BytesIO(original.data)) as opened:
            assert (zones.place / "retrieval" / "run.json").read_bytes() == opened.read("run.json")
        out = io.BytesIO()
        keep.pack(made, zones.place, out)
        files = files_in(out)
        copy = files_in(io.BytesIO(files["retrieval.tar"]))
        assert "retrieval rag-assay-baseline-shop-retrieval-main-75b78fe7" in files["names"].decode().splitlines()
        assert json.loads(copy["run.json"])["commit"] == good

    def test_a_variant_is_copied_under_its_own_name(self, zones: Zones, baselines: Baselines) -> None:
        """So that legs of a matrix do not take each other's (G13)."""
        good = baselines.commit()
        baselines.keep(good)
        baselines.keep(good, variant="py3.12")

        keeper = self.keeper(zones, variant="py3.12")
        made = keeper.refresh()
        out = io.BytesIO()
        keep.pack(made, zones.place, out, "py3.12")

        assert files_in(out)["names"].decode().split() == [
            "retrieval",
            artifact_name("shop", "retrieval", "main", "py3.12"),
        ]

    def test_a_copy_serves_later_runs(self, zones: Zones, baselines: Baselines) -> None:
        """It is what a later search finds when the original is gone."""
        good = baselines.commit()
        original = baselines.keep(good)
        [said] = self.keeper(zones).refresh()
        files = {path.name: path.read_bytes() for path in (zones.place / said.tier).iterdir()}
        original.expired = True
        baselines.keep(baselines.commit(), files, run={"event": "schedule"})

        found = baselines.find()

        assert found.deterministic is not None
        assert found.deterministic.commit == good

    def test_a_person_accepts_what_did_not_pass(self, zones: Zones, baselines: Baselines) -> None:
        """Name and reason are in it, its drift is counted anew, and it is found as the baseline of its commit."""
        good = baselines.commit()
        baselines.keep(good)
        red = baselines.commit()
        run = baselines.keep(red, accepted=False, chain=(good,)).run
        assert run is not None

        accepting = keep.Accepting(run.id, keeping.Person("ada", "a better corpus"))
        [said] = self.keeper(zones).accept(accepting)

        folder = zones.place / "retrieval"
        history = json.loads((folder / "run.json").read_text())["history"]
        assert (said.accepted, said.accepted_by, said.reason, said.commit) == (True, "ada", "a better corpus", red)
        assert said.run_sha256 == hashlib.sha256((folder / "run.json").read_bytes()).hexdigest()
        assert history == {"anchor": {}, "pending": {}, "chain": [good], "judge": None}
        files = {path.name: path.read_bytes() for path in folder.iterdir()}
        baselines.keep(baselines.commit(), files, run={"event": "workflow_dispatch"})
        found = baselines.find()
        assert found.deterministic is not None
        assert found.deterministic.commit == red

    @pytest.mark.parametrize(
        ("run", "says"),
        [
            ({"head_branch": "feature"}, "on another branch than main"),
            ({"event": "pull_request"}, "started by the event pull_request"),
        ],
    )
    def test_only_a_run_of_the_branch_can_be_accepted(
        self, zones: Zones, baselines: Baselines, run: dict[str, Any], says: str
    ) -> None:
        """A pull request's is none, and the message says why."""
        made = baselines.keep(baselines.commit(), accepted=False, run=run).run
        assert made is not None

        with pytest.raises(errors.UsageError, match=f"left no baseline to accept; .*{says}"):
            self.keeper(zones).accept(keep.Accepting(made.id, keeping.Person("ada", "x")))

    def test_what_is_accepted_is_not_accepted_again(self, zones: Zones, baselines: Baselines) -> None:
        """It would start its drift anew for nothing."""
        made = baselines.keep(baselines.commit()).run
        assert made is not None

        with pytest.raises(errors.UsageError, match="accepted already, by gate"):
            self.keeper(zones).accept(keep.Accepting(made.id, keeping.Person("ada", "x")))

    def test_one_tier_of_a_run_can_be_accepted_where_the_other_is(self, zones: Zones, baselines: Baselines) -> None:
        """A run of both left two, of which one passed by itself."""
        commit = baselines.commit()
        run = baselines.keep(commit, tier="full", accepted=False).run
        assert run is not None
        zones.world.add_artifact(artifact_name("shop", "retrieval", "main"), baselines.files(commit, run), run)

        [said] = self.keeper(zones).accept(keep.Accepting(run.id, keeping.Person("ada", "x")))

        assert (said.tier, said.accepted_by) == ("full", "ada")
        assert [line for line in zones.log if "accepted already, by gate" in line]

    @pytest.mark.parametrize("is_gone", [True, False], ids=["expired", "unreadable"])
    def test_what_can_no_longer_be_copied_is_no_success(
        self, zones: Zones, baselines: Baselines, *, is_gone: bool
    ) -> None:
        """A green job would tell nobody until all of it has expired, and then there is nothing to compare with."""
        baselines.keep(baselines.commit(), artifact={"expired": is_gone})
        keeper = self.keeper(zones)
        if not is_gone:
            baselines.server.fail(Fault(500), "/actions/artifacts", times=100)

        with pytest.raises(errors.BaselineError, match=r"nothing was copied: .*(has expired|cannot be read)"):
            keeper.refresh()

    def test_what_is_left_is_copied_where_one_half_is_lost(self, zones: Zones, baselines: Baselines) -> None:
        """The log says what is not."""
        base = baselines.commit()
        baselines.keep(base)
        baselines.keep(base, tier="full", artifact={"expired": True})

        assert [said.tier for said in self.keeper(zones).refresh()] == ["retrieval"]
        assert [line for line in zones.log if line.startswith("the judged half had a baseline")]

    def test_nothing_accepted_is_nothing_copied(self, zones: Zones, baselines: Baselines) -> None:
        """A main that has not passed yet."""
        baselines.commit()
        keeper = self.keeper(zones)

        assert keeper.refresh() == []


class Laptop:
    """A clone of the repository, and the command line in it."""

    def __init__(self, baselines: Baselines, folder: Path) -> None:
        self.baselines, self.folder = baselines, folder
        folder.mkdir()
        (folder / "rag-assay.yml").write_text(json.dumps(baselines.config))
        self.git("init", "-q")
        self.git("remote", "add", "origin", "git@github.com:acme/shop.git")
        self.told = io.StringIO()

    def git(self, *arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=self.folder, check=True)  # noqa: S607 - the machine's own git

    def run(self, *arguments: str, **variables: str) -> int:
        given = {"PATH": "/usr/bin:/bin", "GITHUB_API_URL": self.baselines.server.api, "GH_TOKEN": TOKEN, **variables}
        session = Session(environment=given, console=Console(self.told))
        return command.invoke(["baseline", *arguments], session)


@pytest.fixture
def laptop(baselines: Baselines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Laptop:
    made = Laptop(baselines, tmp_path / "clone")
    monkeypatch.chdir(made.folder)
    return made


class TestLaptop:
    """The commands of ``rag-assay baseline``."""

    def test_fetch_writes_what_a_change_would_be_compared_with(self, laptop: Laptop, baselines: Baselines) -> None:
        """The repository is that of git's remote; what is written can be given to run."""
        baselines.keep(baselines.commit())

        assert laptop.run("fetch") == 0

        folder = laptop.folder / ".rag-assay" / "baseline"
        assert json.loads((folder / "run.json").read_text())["commit"] == baselines.world.branches["main"]
        assert json.loads((folder / "baseline.json").read_text())["accepted"]
        assert "rag-assay run --baseline" in laptop.told.getvalue()

    def test_there_may_be_none(self, laptop: Laptop, baselines: Baselines) -> None:
        """Exit code 2, with the reason."""
        baselines.keep(baselines.commit(), artifact={"expired": True})

        with pytest.raises(errors.BaselineError, match=r"lost: .*it has expired"):
            laptop.run("fetch")

    def test_show_says_how_it_was_found(
        self, laptop: Laptop, baselines: Baselines, capfd: pytest.CaptureFixture[str]
    ) -> None:
        """For people on stderr, for programs as JSON; each artifact that was passed by is named."""
        good = baselines.commit()
        baselines.keep(good)
        red = baselines.commit()
        hostile = baselines.keep(red, b"no zip")

        assert laptop.run("show", "--repo", "acme/shop") == 0
        assert laptop.run("show", "--at", red, "--format", "json") == 0

        told = laptop.told.getvalue()
        assert f"artifact {hostile.id} is no baseline: the archive is no zip file" in told
        assert f"1 commit before the base {red[:12]} (commit {good})" in told
        assert json.loads(capfd.readouterr().out)["deterministic"]["commit"] == good

    @pytest.mark.parametrize("written", ["77", "https://github.com/acme/shop/actions/runs/77/attempts/2"])
    def test_accept_starts_the_accepting_workflow(self, laptop: Laptop, baselines: Baselines, written: str) -> None:
        """On the default branch, with the run and the reason; its reviewers decide."""
        baselines.commit()
        path = ".github/workflows/rag-assay-baseline.yml"
        baselines.world.workflows[path] = ("workflow_dispatch",)
        baselines.server.tokens = dict.fromkeys(baselines.server.tokens, frozenset({"metadata:read", "actions:write"}))

        assert laptop.run("accept", written, "--reason", "a better corpus") == 0
        leg = {"config": "services/chat/rag-assay.yml", "variant": "py3.12"}
        named = [f"--{name}={value}" for name, value in leg.items()]
        assert laptop.run("accept", written, "--reason", "a better corpus", *named) == 0

        inputs = {"run": "77", "reason": "a better corpus"}
        assert [call["inputs"] for call in baselines.world.dispatched] == [inputs, inputs | leg]
        assert {(call["path"], call["ref"]) for call in baselines.world.dispatched} == {(path, "main")}

    @pytest.mark.parametrize(
        ("arguments", "says"),
        [
            (["accept", "main", "--reason", "x"], "'main' is no run"),
            (["accept", "77", "--reason", " "], "--reason is empty"),
            (["show", "--repo", "nonsense"], "OWNER/NAME"),
        ],
    )
    def test_a_mistake_says_what_to_do(self, laptop: Laptop, arguments: list[str], says: str) -> None:
        """Before anything is asked for."""
        with pytest.raises(errors.UsageError, match=says):
            laptop.run(*arguments)

    def test_without_a_token_nothing_is_asked(self, laptop: Laptop) -> None:
        """The message names both variables."""
        with pytest.raises(errors.UsageError, match="neither GITHUB_TOKEN nor GH_TOKEN is set; `gh auth token` prints"):
            laptop.run("show", GH_TOKEN="")
        with pytest.raises(errors.UsageError, match="in the Action the input github-token gives it"):
            laptop.run("show", GH_TOKEN="", GITHUB_RUN_ID="7")

    @pytest.mark.parametrize(
        ("remote", "api"),
        [
            ("git@github.com:acme/shop.git", "https://api.github.com"),
            ("https://github.com/acme/shop", "https://api.github.com"),
            ("ssh://git@ssh.github.com:443/acme/shop.git", "https://api.github.com"),
            ("https://ada:x@acme.ghe.com/acme/shop.git", "https://api.acme.ghe.com"),
        ],
    )
    def test_the_server_is_the_remotes(self, laptop: Laptop, remote: str, api: str) -> None:
        """GitHub's own, by its names; the message says which was to be asked."""
        laptop.git("remote", "set-url", "origin", remote)

        with pytest.raises(errors.UsageError, match=f"^{re.escape(api)} is asked .* neither GITHUB_TOKEN"):
            laptop.run("show", GH_TOKEN="", GITHUB_API_URL="")

    @pytest.mark.parametrize(
        ("remote", "api"),
        [
            ("git@git.acme.com:acme/shop.git", "https://git.acme.com/api/v3"),
            ("https://git.acme.com:8443/acme/shop", "https://git.acme.com:8443/api/v3"),
            ("ssh://git@git.acme.com:2222/acme/shop.git", "https://git.acme.com/api/v3"),
            ("https://github.com.evil.org/acme/shop", "https://github.com.evil.org/api/v3"),
            ("https://github.com@evil.org/acme/shop", "https://evil.org/api/v3"),
        ],
    )
    def test_a_token_for_github_goes_to_no_other_server(self, laptop: Laptop, remote: str, api: str) -> None:
        """A remote can name any; a server of one's own has a token of its own."""
        laptop.git("remote", "set-url", "origin", remote)

        with pytest.raises(errors.UsageError, match=f"^{re.escape(api)} is asked .* neither GH_ENTERPRISE_TOKEN"):
            laptop.run("show", GITHUB_TOKEN=TOKEN, GITHUB_API_URL="")
        with pytest.raises(errors.UsageError, match=f"^{re.escape(api)} is asked .* neither GH_ENTERPRISE_TOKEN"):
            laptop.run("show", "--repo", f"{api[8:-7]}/acme/shop", GITHUB_API_URL="")

    @pytest.mark.parametrize("end", ["\\", "#", "?", ";", "%23"])
    def test_what_only_ends_like_githubs_is_no_server(self, laptop: Laptop, end: str) -> None:
        """An address ends the name of its server at what stands before, and the token would go there."""
        laptop.git("remote", "set-url", "origin", f"https://evil.org{end}.ghe.com/acme/shop")
        for named in ((), ("--repo", f"evil.org{end}.ghe.com/acme/shop")):
            with pytest.raises(errors.UsageError, match="is no name of a server"):
                laptop.run("show", *named, GITHUB_TOKEN=TOKEN, GH_ENTERPRISE_TOKEN=TOKEN, GITHUB_API_URL="")

    def test_a_name_of_ones_own_is_no_server(self, laptop: Laptop) -> None:
        """What only the settings of ssh know."""
        laptop.git("remote", "set-url", "origin", "git@work:acme/shop.git")

        with pytest.raises(errors.UsageError, match="'work' is no name of a server; name it with --repo HOST/OWNER"):
            laptop.run("show", GITHUB_API_URL="")

    def test_without_a_remote_the_repository_has_to_be_named(self, laptop: Laptop) -> None:
        """A clone of something else."""
        laptop.git("remote", "remove", "origin")

        with pytest.raises(errors.UsageError, match="--repo OWNER/NAME"):
            laptop.run("show")


def test_what_fetch_hands_on_is_taken_as_strictly_as_any_stream(tmp_path: Path) -> None:
    """A part that nobody wrote has no place in it."""
    with pytest.raises(errors.ZoneProblem, match="has no place in this stream"):
        fetched.take(stream_of({"found.json": b"{}", "other.tar": b""}), tmp_path)
    assert archive.FILES.entries == 10
