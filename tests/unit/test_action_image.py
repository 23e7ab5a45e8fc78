"""The Action's shell: which image the zones run in."""

from __future__ import annotations

import subprocess

import pytest

from tests.container.world import copy_action
from tests.runner import Runner


class Registry:
    """A docker that has some images, can pull some, builds whatever it is asked for, and writes its calls down."""

    def __init__(self, runner: Runner) -> None:
        self.runner = runner
        self.action = copy_action(runner.folder / "action")
        self.calls = runner.folder / "calls"
        self.offers(has="", pulls="")
        self.hash = subprocess.run(
            [self.action / "scripts" / "source_hash.sh"], capture_output=True, text=True, check=True
        ).stdout.strip()

    def offers(self, *, has: str, pulls: str) -> None:
        """What is there already and what can be pulled."""
        self.runner.docker(
            f"""
            echo "$*" >> {self.calls}
            case "$*" in
            "image inspect "*) [ "$3" = "{has}" ] ;;
            "pull --quiet "*) [ "$3" = "{pulls}" ] || {{ echo "::error::denied"; exit 1; }} ;;
            build*) ;;
            *--version) echo "rag-assay 9.9.9" ;;
            esac
            """
        )

    def lock(self, source: str, image: str) -> None:
        """Write image.lock as a release does."""
        (self.action / "image.lock").write_text(f"# a comment\nsource={source}\nimage={image}\n")

    def chosen(self, image: str = "") -> str:
        """What the script says it uses."""
        script = f"source {self.action}/scripts/run.sh; prepare_attempt; choose_images; trap - EXIT"
        return self.runner.bash(f"set -euo pipefail; {script}", ASSAY_IMAGE=image)


PUBLISHED = f"ghcr.io/x/rag-assay@sha256:{'a' * 64}"


@pytest.fixture
def registry(runner: Runner) -> Registry:
    """A stand-in for docker."""
    return Registry(runner)


def test_a_published_image_is_used_for_the_folder_it_was_made_from(registry: Registry) -> None:
    """The lock names this folder's hash, so its image is pulled by digest."""
    registry.lock(registry.hash, PUBLISHED)
    registry.offers(has="", pulls=PUBLISHED)

    assert f"image: {PUBLISHED} (published for this version)" in registry.chosen()
    assert "build" not in registry.calls.read_text()


@pytest.mark.parametrize(
    ("source", "image", "wanted"),
    [
        ("", "", ""),
        ("f" * 64, PUBLISHED, ""),
        (None, "ghcr.io/x/rag-assay:latest", ""),
        (None, PUBLISHED, "build"),
    ],
)
def test_for_any_other_folder_the_image_is_built(
    source: str | None, image: str, wanted: str, registry: Registry
) -> None:
    """An empty lock, one of other sources, one without a digest, or a workflow that asks for it: nothing is pulled."""
    registry.lock(registry.hash if source is None else source, image)
    registry.offers(has="", pulls=image)

    assert f"image: rag-assay:{registry.hash[:16]} (built from this version now)" in registry.chosen(wanted)
    assert "pull" not in registry.calls.read_text()


def test_a_change_of_the_folder_makes_the_lock_worthless(registry: Registry) -> None:
    """One changed line of the package, and the published image is not used."""
    registry.lock(registry.hash, PUBLISHED)
    with (registry.action / "evaluator" / "__init__.py").open("a") as file:
        file.write("# changed\n")

    assert "(built from this version now)" in registry.chosen()


def test_a_published_image_that_cannot_be_pulled_is_no_verdict(runner: Runner, registry: Registry) -> None:
    """It is not built in its place unless the workflow asks for that; what docker says commands nothing."""
    registry.lock(registry.hash, PUBLISHED)

    said = registry.chosen()

    assert runner.outputs["exit-code"] == "4"
    assert "cannot be pulled" in runner.summary
    assert "│ ::error::denied" in said
    assert "build" not in registry.calls.read_text()


def test_an_image_of_the_team_has_to_have_this_version(registry: Registry) -> None:
    """Its own command is asked; ours answers the same in this world."""
    registry.offers(has="team/app:1", pulls="")

    said = registry.chosen("team/app:1")

    assert "image of the pipeline: team/app:1" in said
    (call,) = [line for line in registry.calls.read_text().splitlines() if line.endswith("team/app:1 --version")]
    assert all(option in call for option in ("--entrypoint rag-assay", "--network none", "--pids-limit", "--memory"))
