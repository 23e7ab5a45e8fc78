"""decision.json: the verdict, every rule's outcome and every case's (design section 13)."""

from typing import Annotated, Literal, TypeAlias

import pydantic

from evaluator.model.base import FORMAT, Id, Value

Outcome: TypeAlias = Literal["passed", "failed", "inconclusive"]
CaseStatus: TypeAlias = Literal["passed", "failed", "not_evaluated", "advisory", "worse", "better"]
EXIT_CODES: dict[Outcome, int] = {"passed": 0, "failed": 1, "inconclusive": 3}

SELF_REPORTED = "self-reported"
"""The code of the reason that a decision on a stranger's records begins with."""


class Reason(Value):
    """Why the outcome is what it is; ``code`` is documented in docs/messages.md."""

    code: Id
    text: str


class RuleOutcome(Value):
    """One rule in one scope. ``rule`` reads ``METRIC KIND`` (``recall@5 max_drop``) or names a rule of the gate."""

    rule: Id
    scope: Literal["all", "category", "small", "case", "run"]
    category: str | None
    outcome: Literal["passed", "failed", "not_evaluated", "advisory"]
    before: float | None
    after: float | None
    limit: float | None
    reason: str


class CaseOutcome(Value):
    """One case under one rule: critical rules always, gated metrics where the value changed."""

    id: Id
    rule: Id
    before: float | None
    after: float | None
    delta: float | None
    status: CaseStatus


class Decision(Value):
    """decision.json."""

    format: Literal[1] = FORMAT
    outcome: Outcome
    exit_code: int
    reasons: Annotated[tuple[Reason, ...], pydantic.Field(strict=False)]
    rules: Annotated[tuple[RuleOutcome, ...], pydantic.Field(strict=False)]
    cases: Annotated[tuple[CaseOutcome, ...], pydantic.Field(strict=False)]
    accepted: bool
    nonce: str | None

    @property
    def is_self_reported(self) -> bool:
        """Whether it is about records that a stranger's run uploaded."""
        return any(reason.code == SELF_REPORTED for reason in self.reasons)
