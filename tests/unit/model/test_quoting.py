from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evaluator.model.golden import Need
from evaluator.model.quoting import CUT, dense, folded, normal_form, spaced

SAME = [
    ("Unicode forms", "Caf\u00e9 \ufb01re", "cafe\u0301 fire"),
    ("full width and case", "ＡＢＣ １２", "abc 12"),
    ("white space", "one  two\tthree\u00a0four\u3000five", "one two three four five"),
    ("line ends", "one\r\ntwo\rthree\u2028four", "one two three four"),
    ("a word broken at a line end", "a broken exam-\n  ple", "a broken example"),
    ("soft hyphens and zero width spaces", "ex\u00adam\u200bple", "example"),
    ("kinds of hyphen", "well\u2010known, well-known", "well known, wellknown"),
    ("dashes between words", "pumps\u2014and valves -- all", "pumps and valves \u2013 all"),
    (
        "quotation marks",
        "the \u201cseason\u201d, the ``season'', the \u00abseason\u00bb",
        'the "season", the season, the season',
    ),
    ("apostrophes", "don\u2019t", "don't"),
    ("emphasis and code", "the **limit** is _5_ `bar` ~~now~~", "the limit is 5 bar now"),
    ("headings, lists and quotations", "# Title\n\n> said\n- one\n* two\n\u2022 three", "Title said one two three"),
    ("rules and setext headings", "Title\n=====\ntext\n\n---\nmore", "Title text more"),
    ("tables", "| A | 1 | 23 |\n|---|:-:|---|\n| B | x | y |", "A 1 23 B x y"),
    ("links and images", 'see [the manual](https://e.org/a_(b) "t") and ![a pump](p.png)', "see the manual and a pump"),
    (
        "links by reference",
        "see [the manual][1] and ![a pump] [] [the other][]",
        "see the manual and ![a pump] [] the other",
    ),
    ("addresses", "at <https://e.org/a_b> or <me@e.org>", "at https://e.org/a_b or me@e.org"),
    ("footnotes", "the limit[^1] is 5[^note] bar\n\n[^1]: see below", "the limit is 5 bar see below"),
    ("fences", "so:\n\n```c++ {.numbered}\nx = 1\n```\n~~~text\ny\n~~~\nok", "so: x = 1 y ok"),
    ("closed headings", "# Title #\n## In C# ##  \ntext", "Title In C# text"),
    ("HTML", "<p class='x'>the <b>limit</b><br/>is <!-- no -->5</p>", "the limit is 5"),
    ("entities", "5 &lt; 6 &amp; 7&nbsp;bar &#8211; ok", "5 < 6 & 7 bar - ok"),
    ("scripts without spaces", "不可以\n退货", "不可以退货"),
]
APART = [
    ("a decimal point", "1.5 bar", "15 bar"),
    ("two numbers and one", "rows 1 23", "rows 12 3"),
    ("cells of a table", "| 1 | 23 |", "| 12 | 3 |"),
    ("a sign", "at -5 \u00b0C", "at 5 \u00b0C"),
    ("a range", "10-20", "1020"),
    ("a relation", "pressure > 5 bar", "pressure < 5 bar"),
    ("a relation at a line's beginning", "pressure\n> 5 bar", "pressure 5 bar"),
    ("places in a list", "x[0][1]", "x[0][2]"),
    ("marks of two sources", "so [1][2]", "so [1][3]"),
    ("a bound on both sides", "5 <x@2> 3", "5 x@2 < 3"),
    ("a language's name", "in C# code", "in C code"),
    ("accents", "r\u00e4ksm\u00f6rg\u00e5s", "raksmorgas"),
    ("a currency", "5 \u20ac", "5 $"),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second"), [row[1:] for row in SAME], ids=[row[0] for row in SAME])
def test_what_only_looks_different_is_the_same(first: str, second: str) -> None:
    """Two ways of setting one passage have one normal form."""
    assert normal_form(first) == normal_form(second)


@pytest.mark.parametrize(("first", "second"), [row[1:] for row in APART], ids=[row[0] for row in APART])
def test_what_means_something_else_stays_apart(first: str, second: str) -> None:
    """No two numbers become one, and no sign, point or relation is lost."""
    assert normal_form(first) != normal_form(second)


@pytest.mark.parametrize("quote", ["***", "—", "<br>", "|---|", "\u200b", " \n"])
def test_a_quote_of_marks_alone_has_no_form(quote: str) -> None:
    """Nothing could be known by it."""
    assert normal_form(quote) == ""


def test_quotes_that_are_the_same_are_one_need() -> None:
    """The same passage, set differently, is declared once; another passage, or marks alone, is another need."""
    one, same, other = (
        Need(quote=text).declared() for text in ("The **limit** is\n5 bar", "the limit is 5 bar", "6 bar")
    )

    assert one == same != other
    assert Need(quote="***").declared() != Need(quote="---").declared()


@pytest.mark.parametrize(
    "part",
    [
        "[",
        "](",
        "[a](",
        "[a][",
        "[^a",
        "<a@",
        "<http:",
        "\n```a{",
        "\n# a ",
        "\n# " + 900 * " ",
        "# a" + 400 * " #",
        "<b ",
        "<!--",
        "&a",
        "*",
        "-",
        "# ",
        "\n- ",
        "> ",
        "|\n",
        "`",
        "'",
        "~",
    ],
)
def test_hostile_markup_takes_time_in_proportion(part: str) -> None:
    """A megabyte of unfinished markup is read at once: no pattern looks for its end again and again."""
    text = part * (1_000_000 // len(part))

    assert len(dense(spaced(folded(text)))) <= len(text) * 2


texts = st.lists(
    st.sampled_from(
        [*"aé1-*|#>[]()<b>&;'\"`_ \n\r.\x00一", "--", "](", "][", "[^", "```", "\n# ", " #", "amp;", "\u2014", "ﬁ"]
    ),
    max_size=30,
)


@given(st.lists(texts.map("".join), min_size=1, max_size=4))
@example(["```a", ""])
def test_texts_brought_into_their_form_together_are_as_each_alone(parts: list[str]) -> None:
    """That the texts of an index are treated at once, for speed, changes none of them."""
    together = dense(spaced(f"\n{CUT}\n".join(map(folded, parts))))

    assert together.split(CUT.encode()) == [dense(spaced(folded(part))) for part in parts]


@given(texts.map("".join))
def test_a_form_is_stable_under_white_space(text: str) -> None:
    """Wrapping a text differently within its lines changes nothing."""
    assert normal_form(text.replace(" ", "  ")) == normal_form(text)


def test_a_power_is_no_longer_number() -> None:
    """10² is not 102, however the power is set; a unit keeps its own."""
    assert normal_form("10² cells") != normal_form("102 cells")
    assert normal_form("an area of 5 m²") == normal_form("An area of 5 m2")
