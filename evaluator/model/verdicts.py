"""The words of a judge's replies, and the questions it is asked; light, since runs that were not judged read it too."""

from typing import Literal, TypeAlias

Verdict: TypeAlias = Literal["supported", "unsupported", "unclear"]
"""Whether the context supports a claim; ``unclear`` counts as unsupported."""

AgainstReference: TypeAlias = Literal["in_reference", "contradicts", "beyond"]
"""What a reference says of a claim; ``beyond`` is what it is silent about."""

InAnswer: TypeAlias = Literal["present", "missing", "contradicted"]
"""What an answer says of a statement of the reference."""

Part: TypeAlias = Literal["claims", "context", "answer", "statements", "embedding", "preference"]
"""A question put to the judge: the claims of an answer, the context it was given, the answer itself, the statements of
a reference; generated questions that are embedded, and the preference between two answers."""
