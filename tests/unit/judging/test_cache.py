from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from evaluator import errors
from evaluator.judging import cache_file
from evaluator.judging.cache import Cache, Entry, Identity, derive, key_of, refuse_tracked
from evaluator.model.judge import JudgeBusy, TokenUsage
from evaluator.model.score import Unscored
from tests.judges import IDENTITY, FakeJudge, build_asker, build_call, build_reply, scripted

ENTRY = Entry("claims", '{"verdict": "supported"}', "stop", "model-1-2026", TokenUsage(100, 10, 40), ("no seed",), 5.0)
KEY = b"k" * 32


def open_cache(file: Path, key: str | None = "secret", now: float = 0.0) -> tuple[Cache, list[str]]:
    """A cache, and what it says."""
    said: list[str] = []
    return Cache(file, derive(key), lambda: now, said.append), said


def filled(file: Path, *keys: bytes, entry: Entry = ENTRY) -> Path:
    """A file with entries under these keys."""
    cache, _ = open_cache(file)
    for key in keys:
        cache.put(key, entry)
    cache.close()
    return file


class TestKeys:
    """What a reply depends on."""

    def test_everything_that_a_reply_depends_on_is_in_it(self) -> None:
        """N2, N3: another repeat, prompt, input, model or parameter is another reply."""
        call = build_call()
        others = [
            key_of(IDENTITY, build_call(repeat=1)),
            key_of(IDENTITY, build_call(prompt="p2")),
            key_of(IDENTITY, build_call("other")),
            key_of(IDENTITY._replace(model="model-2"), call),
            key_of(IDENTITY._replace(provider="openai"), call),
            key_of(Identity("scripted", "model-1", {"seed": 1}), call),
        ]

        assert len({key_of(IDENTITY, call), *others}) == 7

    def test_nothing_else_is_in_it(self) -> None:
        """Another case that asks the same, in another order of keys, has the same reply."""
        one = build_call(case="a", given={"x": 1, "y": ("é", None)})
        two = build_call(case="b", given={"y": ["é", None], "x": 1})

        assert key_of(IDENTITY, one) == key_of(IDENTITY, two)

    def test_half_a_character_is_no_obstacle(self) -> None:
        """Hostile text may hold a lone surrogate, which has no UTF-8."""
        assert len(key_of(IDENTITY, build_call("\ud800"))) == 32


class TestWhatIsKept:
    """Replies that were accepted, and nothing else."""

    def test_a_reply_comes_back_as_it_was(self, tmp_path: Path) -> None:
        """In another process as well: the file is all there is."""
        cache, said = open_cache(filled(tmp_path / "c.sqlite", KEY))

        assert (cache.get(KEY), cache.get(b"other"), said) == (ENTRY, None, [])

    def test_unchanged_input_costs_nothing(self, tmp_path: Path) -> None:
        """The second run asks nobody, and knows which model had answered."""
        first, second = FakeJudge(), FakeJudge()
        for judge in (first, second):
            cache, _ = open_cache(tmp_path / "c.sqlite")
            asker = build_asker(judge, cache=cache)
            assert asker.resolve(build_call()) == "supported"
            cache.close()

        assert (len(first.requests), len(second.requests)) == (1, 0)
        assert (asker.models(), asker.spent().total().cached) == (("model-1-2026",), 1)

    def test_another_repeat_is_asked_anew(self, tmp_path: Path) -> None:
        """N2: a noise run over a warm cache judges again."""
        cache, _ = open_cache(tmp_path / "c.sqlite")
        judge = FakeJudge()
        for repeat in (0, 1, 2, 1):
            build_asker(judge, cache=cache).resolve(build_call(repeat=repeat))

        assert len(judge.requests) == 3

    @pytest.mark.parametrize(
        "steps",
        [
            (build_reply("nonsense"), build_reply("nonsense")),
            (build_reply("I cannot"),),
            (build_reply(finish="length"), build_reply(finish="length")),
            tuple(JudgeBusy("503") for _ in range(40)),
        ],
        ids=["invalid", "refused", "cut", "busy"],
    )
    def test_failures_are_not_kept(self, tmp_path: Path, steps: tuple[object, ...]) -> None:
        """N4: what could not be judged is asked again by the next run."""
        cache, _ = open_cache(tmp_path / "c.sqlite")
        failing = build_asker(FakeJudge(scripted(*steps)), cache=cache, deadline=100.0)  # type: ignore[arg-type]
        judge = FakeJudge()

        assert isinstance(failing.resolve(build_call()), Unscored)
        assert build_asker(judge, cache=cache).resolve(build_call()) == "supported"
        assert len(judge.requests) == 1

    def test_a_repaired_reply_is_kept_as_the_answer(self, tmp_path: Path) -> None:
        """The repair is found where the question is looked for."""
        cache, _ = open_cache(tmp_path / "c.sqlite")
        build_asker(FakeJudge(scripted(build_reply("nonsense"), build_reply())), cache=cache).resolve(build_call())

        assert build_asker(FakeJudge(scripted()), cache=cache).resolve(build_call()) == "supported"

    def test_a_reply_that_is_not_accepted_any_more_is_asked_for_again(self, tmp_path: Path) -> None:
        """A stricter reading does not make old replies failures."""
        cache, _ = open_cache(tmp_path / "c.sqlite")
        cache.put(key_of(IDENTITY, build_call()), ENTRY._replace(text="supported"))
        judge = FakeJudge()

        assert build_asker(judge, cache=cache).resolve(build_call()) == "supported"
        assert len(judge.requests) == 1


class TestTrust:
    """A file may come from somebody else."""

    @pytest.mark.parametrize(
        "change", ["entry = replace(CAST(entry AS TEXT), 'supported', 'contradicted')", "mac = x'00'"]
    )
    def test_a_changed_entry_is_ignored_aloud(self, tmp_path: Path, change: str) -> None:
        """A verdict that was edited is not believed; it is counted, and said once."""
        file = filled(tmp_path / "c.sqlite", KEY, b"o" * 32)
        with sqlite3.connect(file) as db:
            db.execute(f"UPDATE replies SET {change}")  # noqa: S608 - from the table above
        db.close()
        cache, said = open_cache(file)

        assert [cache.get(KEY), cache.get(b"o" * 32), cache.ignored, len(said)] == [None, None, 2, 1]
        assert "not signed with this judge's key" in said[0]

    def test_an_entry_that_was_moved_is_ignored(self, tmp_path: Path) -> None:
        """A real reply to another question is no reply to this one."""
        file = filled(tmp_path / "c.sqlite", b"o" * 32)
        with sqlite3.connect(file) as db:
            db.execute("UPDATE replies SET key = ?", (KEY,))
        db.close()

        assert open_cache(file)[0].get(KEY) is None

    def test_another_judges_key_signs_otherwise(self, tmp_path: Path) -> None:
        """Whoever has no key cannot write for one who has; nor is the key what is signed with."""
        file = filled(tmp_path / "c.sqlite", KEY)

        assert [open_cache(file, key)[0].get(KEY) for key in ("stolen", None)] == [None, None]
        assert b"secret" not in derive("secret")

    def test_a_file_of_something_else_is_refused_and_left_alone(self, tmp_path: Path) -> None:
        """A golden set that was named by mistake, a database of another program, one that has more than our table."""
        (tmp_path / "golden.jsonl").write_text('{"id": "q1"}\n' * 100)
        with sqlite3.connect(tmp_path / "other.sqlite") as db:
            db.execute("CREATE TABLE users (name TEXT)")
        db.close()
        with sqlite3.connect(filled(tmp_path / "more.sqlite", KEY)) as db:
            db.execute("CREATE TRIGGER t AFTER INSERT ON replies BEGIN DELETE FROM replies; END")
        db.close()
        for name in ("golden.jsonl", "other.sqlite", "more.sqlite"):
            before = (tmp_path / name).read_bytes()
            with pytest.raises(errors.FileProblem, match=f"{name} is no judge's cache of this version"):
                open_cache(tmp_path / name)
            assert (tmp_path / name).read_bytes() == before

    def test_a_tracked_cache_is_refused(self, tmp_path: Path) -> None:
        """A pull request must not bring its own judgements."""
        refuse_tracked(tmp_path / "c.sqlite", tracked=False)
        with pytest.raises(errors.FileProblem, match="is tracked by git, so that a change could bring"):
            refuse_tracked(tmp_path / "c.sqlite", tracked=True)


class TestDamage:
    """Judging goes on, and says what it goes on without."""

    def test_a_damaged_file_is_said_once_and_not_used(self, tmp_path: Path) -> None:
        """Every page but the first is overwritten; the judge is asked, and nothing is raised."""
        file = filled(tmp_path / "c.sqlite", *(bytes([number]) * 32 for number in range(200)))
        data = file.read_bytes()
        file.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))
        cache, said = open_cache(file)
        judge = FakeJudge()
        asker = build_asker(judge, cache=cache)

        assert [asker.resolve(build_call(question)) for question in "abc"] == ["supported"] * 3
        assert (len(judge.requests), len(said)) == (3, 1)
        assert said[0].endswith("judging goes on without it")
        cache.close()

    def test_a_place_where_nothing_can_be_written_is_said(self, tmp_path: Path) -> None:
        """A folder that is a file, say."""
        (tmp_path / "file").write_text("")
        cache, said = open_cache(tmp_path / "file" / "c.sqlite")
        cache.put(KEY, ENTRY)
        cache.close()

        assert (cache.get(KEY), len(said)) == (None, 1)

    def test_a_file_that_another_process_holds_is_waited_for_and_then_passed_by(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What cannot be kept now is said once; when the other is done, the cache is used again."""
        monkeypatch.setattr(cache_file, "BUSY_SECONDS", 0.01)
        file = filled(tmp_path / "c.sqlite", KEY)
        cache, said = open_cache(file)
        other = cache_file.connect(file)
        other.execute("BEGIN IMMEDIATE")
        cache.put(b"1" * 32, ENTRY)
        cache.put(b"2" * 32, ENTRY)
        found = cache.get(KEY)
        other.execute("COMMIT")
        other.close()
        cache.put(b"3" * 32, ENTRY)

        assert said == [f"the judge's cache {file} is held by another process; some replies are not kept"]
        assert [found, cache.get(b"1" * 32), cache.get(b"3" * 32)] == [ENTRY, None, ENTRY]
        cache.close()

    def test_a_file_that_is_held_at_the_end_is_closed_all_the_same(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """How often entries were used is then not noted, and nothing else is lost."""
        monkeypatch.setattr(cache_file, "BUSY_SECONDS", 0.01)
        file = filled(tmp_path / "c.sqlite", KEY, b"2" * 32)
        cache, said = open_cache(file)
        cache.limit = 0
        cache.get(KEY)
        other = cache_file.connect(file)
        other.execute("BEGIN IMMEDIATE")
        cache.close()
        other.execute("COMMIT")
        other.close()

        assert (cache_file.stats(file).entries, cache_file.stats(file).hits, len(said)) == (2, 0, 1)

    def test_a_damaged_file_has_no_stats(self, tmp_path: Path) -> None:
        """The command says so, in one sentence."""
        file = filled(tmp_path / "c.sqlite", *(bytes([number]) * 32 for number in range(200)))
        data = file.read_bytes()
        file.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))

        with pytest.raises(errors.FileProblem, match="cannot be used: database disk image is malformed"):
            cache_file.stats(file)

    def test_a_closed_one_finds_and_keeps_nothing(self, tmp_path: Path) -> None:
        """A call that was given up may still come back after the end."""
        cache, said = open_cache(tmp_path / "c.sqlite")
        cache.close()
        cache.put(KEY, ENTRY)

        assert (cache.get(KEY), said) == (None, [])


class TestSize:
    """What is kept, and for how long."""

    def test_the_least_recently_used_go_first(self, tmp_path: Path) -> None:
        """Of ten entries of 100 kB under a limit of 500 kB four fifths of that stay: the one used again, the newest."""
        file, large = tmp_path / "c.sqlite", ENTRY._replace(text="x" * 100_000)
        cache, _ = open_cache(file)
        for number in range(10):
            cache.put(bytes([number]) * 32, large._replace(created=float(number)))
        cache.close()
        cache, _ = open_cache(file, now=100.0)
        cache.limit = 500_000
        cache.get(bytes([2]) * 32)
        cache.close()

        cache, _ = open_cache(file)
        kept = [number for number in range(10) if cache.get(bytes([number]) * 32)]
        assert kept == [2, 8, 9]
        assert file.stat().st_size < 500_000

    def test_uses_are_noted_now_and_then(self, tmp_path: Path) -> None:
        """A run that is killed has noted most of what it used; 256 at once cost one write."""
        keys = [number.to_bytes(32, "big") for number in range(300)]
        file = filled(tmp_path / "c.sqlite", *keys)
        cache, _ = open_cache(file)
        for key in keys:
            cache.get(key)

        assert cache_file.stats(file).hits == 256
        cache.close()
        assert cache_file.stats(file).hits == 300

    def test_what_is_no_reply_of_a_judge_by_its_size_is_not_kept(self, tmp_path: Path) -> None:
        """Nor is such an entry read, should a file hold one."""
        cache, _ = open_cache(tmp_path / "c.sqlite")
        cache.put(KEY, ENTRY._replace(text="x" * 4_000_000))

        assert cache.get(KEY) is None

    def test_stats_count_by_part_and_model(self, tmp_path: Path) -> None:
        """What ``cache stats`` prints."""
        file = filled(tmp_path / "c.sqlite", b"1" * 32, b"2" * 32)
        filled(file, b"3" * 32, entry=ENTRY._replace(part="answer", created=2.0))
        cache, _ = open_cache(file)
        for _ in range(3):
            cache.get(b"1" * 32)
        cache.close()
        found = cache_file.stats(file)

        assert found[1:] == (
            3, 3, 2.0, (("answer", "model-1-2026", 1, 0), ("claims", "model-1-2026", 2, 3)),
        )  # fmt: skip
        assert found.size == file.stat().st_size

    def test_pruning_by_age_by_size_or_of_all(self, tmp_path: Path) -> None:
        """Entries not used since a time go; a limit that is not reached removes none."""
        file = filled(tmp_path / "c.sqlite", b"1" * 32)
        filled(file, b"2" * 32, b"3" * 32, entry=ENTRY._replace(created=50.0))

        removed = [
            cache_file.prune_file(file, before=50.0).removed,
            cache_file.prune_file(file, limit=1_000_000).removed,
            cache_file.prune_file(file, everything=True).removed,
        ]
        assert removed == [1, 0, 2]

    def test_there_must_be_a_file(self, tmp_path: Path) -> None:
        """Asking for the state of nothing makes no file."""
        with pytest.raises(errors.FileProblem, match="there is no judge's cache"):
            cache_file.stats(tmp_path / "c.sqlite")
        assert list(tmp_path.iterdir()) == []
