"""A granted key is found in whatever form it travels in, and replaced."""

from __future__ import annotations

import base64
import json
import re
from typing import TYPE_CHECKING
from urllib.parse import quote, quote_plus, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.model.base import to_json
from evaluator.zones.keys import Keys

if TYPE_CHECKING:
    from collections.abc import Callable

KEY = 'sk-Zm9v/b+a"r=\\é?'
CARRIERS = {
    "plain": lambda key: f"the key is {key}, keep it",
    "base64": lambda key: base64.b64encode(key.encode()).decode(),
    "base64, one byte before": lambda key: base64.b64encode(b"x" + key.encode() + b"tail").decode(),
    "base64, two bytes before": lambda key: base64.b64encode(b"xy" + key.encode() + b"!").decode(),
    "base64 of a password pair": lambda key: base64.b64encode(f"user:{key}\n".encode()).decode(),
    "base64 for URLs": lambda key: base64.urlsafe_b64encode(b"ab" + key.encode()).decode().rstrip("="),
    "hexadecimal": lambda key: f"x{key.encode().hex()}0a",
    "hexadecimal in capitals": lambda key: f"0x{key.encode().hex().upper()}",
    "quoted": lambda key: f"http://e/?k={quote(key)}",
    "quoted whole": lambda key: f"http://e/?k={quote(key, safe='')}",
    "quoted in lower case": lambda key: re.sub("%..", lambda found: found[0].lower(), quote_plus(key)),
    "a form": lambda key: urlencode({"k": key}),
    "JSON": lambda key: json.dumps({"k": key}),
    "JSON in other letters": lambda key: json.dumps({"k": key}, ensure_ascii=False),
    "JSON with escaped slashes": lambda key: json.dumps({"k": key}).replace("/", "\\/"),
}  # fmt: skip


@pytest.mark.parametrize("carrier", CARRIERS.values(), ids=CARRIERS.keys())
def test_every_form_is_replaced_and_named(carrier: Callable[[str], str]) -> None:
    """A text that holds the key in one of its forms comes out without it, and the variable is known."""
    keys = Keys({"RAG_KEY": KEY})
    text = carrier(KEY)

    assert keys.are_in(to_json([text]))
    assert "[the value of RAG_KEY]" in keys.replaced_in(text)
    assert keys.found == {"RAG_KEY"}


@given(
    key=st.text(st.characters(codec="utf-8"), min_size=8, max_size=40).filter(lambda text: len(text.strip()) >= 8),
    before=st.binary(max_size=5),
    after=st.binary(max_size=5),
)
def test_base64_is_found_at_every_place(key: str, before: bytes, after: bytes) -> None:
    """Whatever stands before and after a key, its base64 is recognised."""
    keys = Keys({"K": key})

    keys.replaced_in(base64.b64encode(before + key.encode() + after).decode())

    assert keys.found == {"K"}


@given(
    st.recursive(
        st.text() | st.integers() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_what_holds_no_key_stays_as_it_is(value: object) -> None:
    """Nothing else of a value changes."""
    keys = Keys({"RAG_KEY": KEY})

    assert keys.replaced(value) == value
    assert keys.found == set()


@pytest.mark.parametrize("number", [1234567890, 1234567890.0])
def test_a_number_can_be_a_key(number: float) -> None:
    """A number where a score or a count may stand is the key as well as its digits in a text are."""
    keys = Keys({"PIN": "1234567890"})
    value = {"score": number, "seconds": 12345.67890}

    assert keys.are_in(to_json(value))
    assert keys.replaced(value) == {"score": 0, "seconds": 12345.6789}
    assert keys.found == {"PIN"}


def test_keys_are_found_in_names_and_deep_inside() -> None:
    """Names of fields are texts too."""
    keys = Keys({"A": "a" * 20, "B": "b" * 20})

    cleaned = keys.replaced({"x": [{"a" * 20: 1}], "y": "b" * 20})

    assert cleaned == {"x": [{"[the value of A]": 1}], "y": "[the value of B]"}
    assert keys.found == {"A", "B"}


def test_the_longer_of_two_keys_wins() -> None:
    """A key that begins with another is replaced whole."""
    keys = Keys({"SHORT": "abcdefgh", "LONG": "abcdefgh-ijkl"})

    assert keys.replaced_in("abcdefgh-ijkl") == "[the value of LONG]"


def test_each_line_of_a_key_of_several_lines_is_a_key() -> None:
    """A private key is printed line by line; its first and last line are no secret."""
    pem = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQEF\n-----END PRIVATE KEY-----\n"
    keys = Keys({"PEM": pem})

    assert keys.replaced_in("-----BEGIN PRIVATE KEY-----") == "-----BEGIN PRIVATE KEY-----"
    assert keys.replaced_in("kqhkiG9w0BAQEF") == "[the value of PEM]"


def test_what_is_too_short_is_not_looked_for() -> None:
    """A value of a few characters occurs by chance; the variable is named so that a person can be told."""
    keys = Keys({"MODE": "fast", "EMPTY": ""})

    assert keys.replaced_in("as fast as it goes") == "as fast as it goes"
    assert keys.ignored == ("MODE",)


def test_a_value_that_is_no_text_is_found_in_base64() -> None:
    """Bytes that are no UTF-8 can only come in an encoded form."""
    keys = Keys({"RAW": b"\xff\xfe12345678".decode(errors="surrogateescape")})

    keys.replaced_in(base64.b64encode(b"\xff\xfe12345678").decode())

    assert keys.found == {"RAW"}
