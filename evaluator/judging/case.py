"""The judging of one case, as a conversation: what is asked, in which order, and what follows from the replies."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from evaluator.judging import abstaining, answer, claims, context, fencing, preference, questions, statements
from evaluator.judging.answer import Compared
from evaluator.judging.context import ContextFound
from evaluator.judging.sentences import sentences
from evaluator.judging.talks import nothing, one, together
from evaluator.model.judgement import Judged, JudgedFact, Judgement, Opinion
from evaluator.model.score import Unscored

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluator.judging.answer import AnswerFound
    from evaluator.judging.calls import Conversation
    from evaluator.judging.claims import ClaimsFound
    from evaluator.judging.subject import Fact, Subject
    from evaluator.model.judgement import Claim, Preference, Statement
    from evaluator.model.verdicts import AgainstReference, Part, Verdict

Found = TypeVar("Found")

NO_CLAIM = "no claim was found in the answer, twice, though it is no abstention"
NOT_KNOWN = "no claim was found in the answer, and whether it abstains could not be judged"

_SAME = "the answer is the reference"
_BLANK = "the answer is empty"
_STOCK = "the answer is a phrase that says so and nothing else"


def conversation(subject: Subject) -> Conversation[Judged]:
    """Judge a case: the answer's claims beside the reference's statements, then everything that reads them.

    No call is made for an answer that is empty or surely an abstention, but for what is asked of its context alone.
    """
    return _Judging(subject).talk()


class Matter(NamedTuple):
    """What of a case is judged once more: claims, facts, and whether it abstains."""

    claims: tuple[Claim, ...] = ()
    facts: tuple[Fact, ...] = ()
    abstention: bool = False


class Said(NamedTuple):
    """What one more judging says, by the ids of claims and facts; what could not be had is not in it."""

    claims: Mapping[str, Verdict]
    facts: Mapping[str, bool]
    abstained: bool | None


def again(subject: Subject, matter: Matter, time: int) -> Conversation[Said]:
    """Judge some of a case once more, past the cache; ``time`` counts such judgings from 1."""
    subject = replace(subject, repeat=subject.repeat + time)
    asks = bool(matter.facts) or matter.abstention
    said, read = yield from together(
        context.conversation(subject, matter.claims, claims_only=True),
        one(answer.call(subject, Compared(facts=matter.facts))) if asks else nothing(None),
    )
    found = None if isinstance(read, Unscored) else read
    return Said(
        {claim.id: said.claims[claim.id].verdict for claim in matter.claims if claim.id in said.claims},
        {fact.fact: fact.present for fact in found.facts} if found is not None else {},
        found.abstained.value if found is not None else None,
    )


class _Judging:
    """One case while it is judged: what is known before anything is asked, and what has been found so far."""

    def __init__(self, subject: Subject) -> None:
        text, language = subject.answered, subject.language
        self.subject = subject
        self.sentences = sentences(text, language)
        self.same = abstaining.is_same(text, subject.reference or "")
        self.silent: Opinion | None = None
        if subject.answer is not None and fencing.is_blank(text):
            self.silent = Opinion(value=True, reason=_BLANK)
        elif subject.reported is not False and abstaining.is_sure(text, language):
            self.silent = Opinion(value=True, reason=_STOCK)
        self.is_judged = subject.answer is not None and self.silent is None
        self.unscored: dict[Part, str] = {}
        self.claims: ClaimsFound | None = None
        self.statements: tuple[Statement, ...] = ()
        self.context = ContextFound({}, {})
        self.answer: AnswerFound | None = None
        self.against: dict[str, AgainstReference] = {}
        self.questions: tuple[str, ...] = ()
        self.preference: Preference | None = None

    def talk(self) -> Conversation[Judged]:
        """All that is asked, in order."""
        yield from self._take_apart()
        yield from self._judge()
        if self.claims is not None and not self.claims.claims:
            yield from self._look_again()
        return self._judged()

    def _kept(self, part: Part, outcome: Found | Unscored) -> Found | None:
        if isinstance(outcome, Unscored):
            self.unscored[part] = outcome.reason
            return None
        return outcome

    def _take_apart(self) -> Conversation[None]:
        """Ask for claims and statements side by side; neither question holds what the other is about."""
        subject, wanted = self.subject, self.subject.wanted
        is_compared = wanted.statements and self.is_judged and not self.same
        parted, stated = yield from together(
            one(claims.call(subject, self.sentences)) if wanted.claims and self.is_judged else nothing(None),
            self._stated() if is_compared or wanted.recall else nothing(()),
        )
        self.claims = self._kept("claims", parted)
        self.statements = self._kept("statements", stated) or ()

    def _stated(self) -> Conversation[tuple[Statement, ...] | Unscored]:
        reference = self.subject.reference or ""
        own = statements.own(reference, self.subject.language)
        if own is not None:
            return own
        return (yield from one(statements.call(self.subject, reference)))

    def _judge(self) -> Conversation[None]:
        """Ask the context and the answer side by side, and what else is wanted."""
        subject = self.subject
        facts = () if self.same else tuple(subject.facts)
        said, read, fitting, preferred = yield from together(
            context.conversation(subject, self._claimed, self.statements),
            one(answer.call(subject, self._compared()._replace(facts=facts))) if self.is_judged else nothing(None),
            one(questions.call(subject)) if subject.wanted.questions and self.is_judged else nothing(()),
            self._preferred(),
        )
        self._note(said)
        self.answer = self._kept("answer", read)
        self.against = dict(self.answer.claims) if self.answer else {}
        self.questions = self._kept("embedding", fitting) or ()
        self.preference = self._kept("preference", preferred)

    @property
    def _claimed(self) -> tuple[Claim, ...]:
        return self.claims.claims if self.claims else ()

    def _compared(self) -> Compared:
        """Statements and claims that the answer question compares: none where answer and reference are the same."""
        if self.same or not self.subject.wanted.statements or not self.statements:
            return Compared()
        return Compared(self.statements, self._claimed)

    def _note(self, said: ContextFound) -> None:
        self.context = ContextFound(
            {**self.context.claims, **said.claims},
            {**self.context.statements, **said.statements},
            said.sufficiency or self.context.sufficiency,
            said.useful or self.context.useful,
        )
        if said.lacking is not None:
            self.unscored["context"] = said.lacking

    def _preferred(self) -> Conversation[Preference | Unscored | None]:
        subject, against = self.subject, self.subject.against
        if against is None or subject.answer is None:
            return None
        if abstaining.is_same(against, subject.answered) or not (against.strip() or subject.answered.strip()):
            return preference.SAME
        first, second = preference.calls(subject, against)
        return preference.decided((yield from together(one(first), one(second))))

    def _look_again(self) -> Conversation[None]:
        """Ask for claims once more where none was found in an answer that the judge takes for one."""
        if self.answer is None:
            self.claims, self.unscored["claims"] = None, NOT_KNOWN
            return
        if self.answer.abstained.value:
            return
        self.claims = self._kept("claims", (yield from one(claims.call(self.subject, self.sentences, again=True))))
        if self.claims is None:
            return
        if not self.claims.claims:
            self.claims, self.unscored["claims"] = None, NO_CLAIM
            return
        compared = self._compared()
        said, read = yield from together(
            context.conversation(self.subject, self._claimed, claims_only=True),
            one(answer.call(self.subject, compared)) if compared.claims else nothing(None),
        )
        self._note(said)
        late = self._kept("answer", read)
        self.against = dict(late.claims) if late else {}

    def _judged(self) -> Judged:
        found = self.answer
        return Judged(
            self._claims(),
            Judgement(
                sure=not self.is_judged,
                same=self.same,
                abstained=found.abstained if found else self.silent,
                relevance=found.relevance if found else None,
                sufficiency=self.context.sufficiency,
                sentences=self.sentences,
                silent=self.claims.silent if self.claims else (),
                statements=tuple(map(self._statement, self.statements)),
                facts=self._facts(),
                useful=self.context.useful,
                questions=self.questions,
                preference=self.preference,
                unscored=self.unscored,
            ),
        )

    def _claims(self) -> tuple[Claim, ...] | None:
        if self.silent is not None and self.subject.wanted.claims:
            return ()
        return None if self.claims is None else tuple(map(self._claim, self.claims.claims))

    def _claim(self, claim: Claim) -> Claim:
        against = "in_reference" if self.same else self.against.get(claim.id)
        verdict = self.context.claims.get(claim.id)
        return claim.but(reference=against, **(verdict._asdict() if verdict else {}))

    def _statement(self, statement: Statement) -> Statement:
        changes = {}
        if self.same:
            changes = {"answer": "present", "reason": _SAME}
        elif self.answer is not None and statement.id in self.answer.statements:
            said = self.answer.statements[statement.id]
            changes = {"answer": said.verdict, "reason": said.reason}
        stated = self.context.statements.get(statement.id)
        return statement.but(**changes, **({"attributable": stated.value, "chunks": stated.chunks} if stated else {}))

    def _facts(self) -> tuple[JudgedFact, ...]:
        if self.same and self.is_judged:
            return tuple(JudgedFact(fact=fact.id, present=True, reason=_SAME) for fact in self.subject.facts)
        return self.answer.facts if self.answer else ()
