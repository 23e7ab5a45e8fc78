"""The pull request that a stranger's run was of, as GitHub names it, on its way from zone to zone."""

from typing import Annotated, Literal

import pydantic

from evaluator.model.base import FORMAT, Value

NAME = "pull.json"
Number = Annotated[int, pydantic.Field(gt=0)]
Sha = Annotated[str, pydantic.StringConstraints(pattern=r"\A(?:[0-9a-f]{40}|[0-9a-f]{64})\z")]


class Received(Value):
    """pull.json.

    Attributes:
        number: of the pull request.
        head: the commit that was measured.
        base, branch: the newest commit of the branch it is made to, and that branch.
        others: further open pull requests of the same head.
    """

    format: Literal[1] = FORMAT
    number: Number
    head: Sha
    base: Sha
    branch: str
    others: Annotated[tuple[Number, ...], pydantic.Field(strict=False)] = ()
