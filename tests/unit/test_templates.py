"""Foreign text stays text, in Markdown, in HTML and in logs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import jinja2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator import errors, templates
from tests.forge import Page

ROOT = Path(__file__).parents[2]
HOSTILE = [
    "a | b || c",
    "[x](http://e.example)",
    "![](http://t.example/p.png)",
    "<http://e.example> and http://e.example, www.e.example, ftp://e.example",
    "WWW.e.example",
    "write to a.b+c@example.com or mailto:a@example.com or xmpp:a@example.com",
    "@org/team and (@someone)",
    "#1 and GH-1 and gh-2 and org/repo#3 and org/repo@0123456789abcdef",
    "TICKET-12, GHSA-abcd-efgh-ijkl, CVE-2020-1234",
    "recall@5.example.com recall@5 recall@5. recall@5-x",
    "`code` ``more`` ```",
    "</details></td></table>",
    "<!-- rag-assay suite=s -->",
    "first\nsecond\r\n\n# third",
    "# heading",
    "- [ ] task",
    "+ item",
    "1. item",
    "2) item",
    "> quote",
    "--- ",
    "=== ",
    "    indented",
    "$x$ and $`x`$ and $$x$$",
    ":smile: :+1: a:100:b",
    "<script>alert(1)</script>",
    "&lt;b&gt; &amp; &#64;org &commat;org",
    "*a* **b** _c_ __d__ ~~e~~ ~f~",
    "back\\slash \\| \\`",
    "trailing\\",
    "[^1] [!NOTE] [x]: http://e.example",
    "\u202eright to left\u202c \u2066isolated\u2069",
    "zero\u200bwidth\ufeffjoined\u2060",
    "\x1b[31mred\x1b[0m\x00\x07",
    "line\u2028separator\u2029paragraph\x85next",
    "tag\U000e0041\U000e0042 filler\u3164\uffa0",
    "lone surrogate \ud800",
]
FRAMES = ["{}", "- {}\n- next", "a {} b", "## {}", "> {}", "<details>\n<summary>{}</summary>\n</details>"]
INVISIBLE = [chr(number) for number in (*range(32), *range(0x7F, 0xA0), 0x200B, 0x200E, 0x202E, 0x2066, 0x2069, 0xFEFF)]


def shown(text: str) -> str:
    """What a reader should see of a text."""
    return templates.one_line(text)


class TestForeignTextInMarkdown:
    """Text that somebody else wrote, where a comment shows it."""

    @pytest.mark.parametrize("text", HOSTILE)
    @pytest.mark.parametrize("frame", FRAMES)
    def test_is_text_wherever_it_stands(self, text: str, frame: str) -> None:
        """Nothing in a question, a message or an id becomes a link, a mention, markup or another line (G14)."""
        plain, hostile = (Page.of(frame.format(each)) for each in ("plain", templates.md(text)))

        assert hostile.text == plain.text.replace("plain", shown(text))
        assert [tag for tag in hostile.tags if tag != "span"] == plain.tags
        assert hostile.comments == []
        assert hostile.references == []

    @pytest.mark.parametrize("text", HOSTILE)
    @pytest.mark.parametrize("escape", [templates.md, templates.code])
    def test_fills_exactly_one_cell_of_a_table(self, text: str, escape: type) -> None:
        """A bar, a line end or a tag in a cell neither ends it nor the table (G14)."""
        page = Page.of(f"| a | b |\n| :-- | --: |\n| {escape(text)} | end |\n\nafter")

        assert page.tags.count("td") == 2
        assert page.text.endswith("after\n")
        assert set(page.tags) <= {"table", "thead", "tbody", "tr", "th", "td", "p", "span", "code"}
        assert page.comments == []
        assert page.references == []

    @pytest.mark.parametrize("text", [*HOSTILE, "", " ", "a  b", "`", "``", " `x` "])
    def test_an_identifier_is_shown_whole_in_a_code_span(self, text: str) -> None:
        """An id looks the way it is written, white space and all, whatever it holds (L4)."""
        page = Page.of(f"id {templates.code(text)} end")

        assert page.text.strip() == f"id {templates.visible(text)} end"
        assert [tag for tag in page.tags if tag != "span"] == ["p", "code"]
        assert page.comments == []

    def test_no_marker_of_another_suite_can_stand_in_the_raw_comment(self) -> None:
        """An id that imitates a marker is not found by a search for markers."""
        marker = "<!-- rag-assay suite=other -->"

        assert marker not in templates.code(marker)
        assert marker not in templates.md(marker)

    @given(st.text())
    def test_any_text_at_all_is_text(self, text: str) -> None:
        """Whatever a person or a program writes, the page shows it and nothing else."""
        page = Page.of(f"- {templates.md(text)} end")

        assert re.sub("[\u2068\u2069]", "", page.text).strip() == f"{shown(text)} end".strip()
        assert set(page.tags) <= {"ul", "li", "span"}
        assert page.comments == []

    @given(st.text(alphabet=st.sampled_from("ab1 @#$:.-_*`|<>[]()!\\~&/w+=\n"), max_size=20))
    def test_no_combination_of_active_characters_gets_through(self, text: str) -> None:
        """Characters that mean something are tried in every order."""
        page = Page.of(f"x {templates.md(text)}\n\n| a |\n| :-- |\n| {templates.code(text)} |")

        assert set(page.tags) <= {"p", "table", "thead", "tbody", "tr", "th", "td", "span", "code"}
        assert page.tags.count("td") == 1
        assert page.references == []

    def test_our_own_metric_names_stay_readable_in_the_source(self) -> None:
        """A person who reads the raw comment meets recall@5 and 0.731, not their escapes."""
        assert templates.md("recall@5 fell by 0.731, fact_coverage@10 did not") == (
            "recall@5 fell by 0.731, fact_coverage@10 did not"
        )

    @pytest.mark.parametrize("text", ["שאלה", "سؤال 1", "x ي y"])
    def test_right_to_left_text_cannot_turn_the_numbers_around_it(self, text: str) -> None:
        """Text of the other direction is isolated, so that "3 → 1" behind it still reads so."""
        for escape in (templates.md, templates.code):
            assert escape(text).startswith("\u2068")
            assert escape(text).endswith("\u2069")

    def test_every_letter_of_the_other_direction_is_known(self) -> None:
        """Whatever Unicode calls a right-to-left letter is isolated."""
        letters = [chr(number) for number in range(0x110000) if unicodedata.bidirectional(chr(number)) in ("R", "AL")]
        seen = [letter for letter in letters if templates.visible(letter) == letter]

        assert len(seen) > 1000
        assert [letter for letter in seen if not templates.md(letter).startswith("\u2068")] == []


class TestInvisibleCharacters:
    """Characters that a reader cannot see, and that could hide or reorder what they read."""

    @pytest.mark.parametrize("character", INVISIBLE)
    def test_are_spelt_out(self, character: str) -> None:
        """Control, bidirectional and zero-width characters are shown by their number."""
        assert templates.visible(f"a{character}b") == f"a‹U+{ord(character):04X}›b"

    @pytest.mark.parametrize(
        "text",
        [
            "👨\u200d👩\u200d👧",
            "❤\ufe0f",
            "🏳\ufe0f\u200d🌈",
            "1\ufe0f\u20e3",
            "نمی\u200cخواهم",
            "क्\u200dष",
            "葛\U000e0100",
            "é",
            "日本語",
        ],
    )
    def test_that_shape_visible_ones_stay(self, text: str) -> None:
        """Joiners and variation selectors belong to emoji and to scripts that need them."""
        assert templates.visible(text) == text

    @pytest.mark.parametrize("text", ["a\u200db", "\u200d", "❤\ufe0f\ufe0f", "a\ufe0f", "a\U000e0100", "👨\u200d"])
    def test_that_shape_nothing_are_spelt_out(self, text: str) -> None:
        """A joiner between plain letters, or a second selector, only hides something."""
        assert "‹U+" in templates.visible(text)

    @given(st.text())
    def test_nothing_invisible_remains(self, text: str) -> None:
        """After spelling out, no control character is left in any text."""
        assert not [each for each in templates.visible(text) if unicodedata.category(each) in ("Cc", "Cs", "Zl", "Zp")]


class TestCutting:
    """Long texts."""

    @pytest.mark.parametrize(
        ("text", "limit", "expected"),
        [
            ("short", 5, "short"),
            ("longer", 5, "long…"),
            ("a word", 3, "a…"),
            ("cafe\u0301s", 5, "caf…"),
            ("ab👨\u200d👩\u200d👧c", 6, "ab…"),
            ("ab👍🏽c", 4, "ab…"),
            ("ab🇸🇪🇭🇺", 5, "ab🇸🇪…"),
            ("a❤\ufe0fbc", 3, "a…"),
            ("한\u1100\u1161\u11a8bc", 4, "한…"),
        ],
    )
    def test_end_between_visible_characters(self, text: str, limit: int, expected: str) -> None:
        """An accent, a family and a flag are shown whole or not at all."""
        assert templates.cut(text, limit) == expected

    @given(st.text(), st.integers(min_value=1, max_value=40))
    def test_never_exceed_the_limit(self, text: str, limit: int) -> None:
        """The limit holds, the ellipsis included, and a text that fits stays as it is."""
        short = templates.cut(text, limit)

        assert len(short) <= limit
        assert short == text or short.endswith("…")

    def test_a_heap_of_accents_is_cut_all_the_same(self) -> None:
        """A text without any good place to cut still ends."""
        assert len(templates.cut("e" + "\u0301" * 500, 100)) == 100


class TestNumbers:
    """Numbers as people read them."""

    @pytest.mark.parametrize(
        ("value", "decimals", "expected"),
        [
            (0.731, 3, "0.731"),
            (1.0, 3, "1.000"),
            (0.0, 3, "0.000"),
            (0.9999, 3, "0.9999"),
            (0.99995, 3, "0.99995"),
            (1.0004, 3, "1.0004"),
            (0.0004, 3, "0.0004"),
            (-0.0004, 3, "-0.0004"),
            (1 - 1e-12, 3, "1.000"),
            (-1e-12, 3, "0.000"),
            (812.4, 0, "812"),
            (0.5, 0, "0.5"),
        ],
    )
    def test_are_never_rounded_to_none_or_all(self, value: float, decimals: int, expected: str) -> None:
        """0 and 1 are shown only for 0 and 1."""
        assert templates.num(value, decimals) == expected


class TestLogLines:
    """Lines that the workflow runner reads too."""

    @pytest.mark.parametrize(
        ("line", "expected"),
        [
            ("::set-output name=x::y", ": :set-output name=x::y"),
            ("  ::add-mask::secret", "  : :add-mask::secret"),
            ("\t::error::no", " : :error::no"),
            ("\u00a0::error::no", "\u00a0: :error::no"),
            ("text ##[error]no", "text ## [error]no"),
            ("###[group]", "### [group]"),
            ("first\n::stop-commands::x", "first ::stop-commands::x"),
            ("first\r::warning::x", "first ::warning::x"),
            ("std::vector is fine", "std::vector is fine"),
            ("\x1b[2Jgone", "‹U+001B›[2Jgone"),
        ],
    )
    def test_carry_no_command(self, line: str, expected: str) -> None:
        """What a pipeline prints sets no output, masks nothing and moves no cursor (G15)."""
        assert templates.log_line(line) == expected

    @given(st.text(alphabet=st.sampled_from(": #[\n\r\tab\x1b\u2028\x85")))
    def test_are_inert_whatever_is_in_them(self, text: str) -> None:
        """One line in, one line out, and nothing that begins or holds a command."""
        line = templates.log_line(text)

        assert len(line.splitlines()) <= 1
        assert not line.lstrip().startswith("::")
        assert "##[" not in line
        assert templates.log_line(line) == line


class TestHtml:
    """Text for pages."""

    def test_is_escaped_for_attributes_too(self) -> None:
        """Quotes and tags are data."""
        assert templates.html("<a href=\"x\" title='y'>&") == "&lt;a href=&quot;x&quot; title=&#x27;y&#x27;&gt;&amp;"

    def test_finished_markup_is_left_alone(self) -> None:
        """What is escaped once is not escaped again."""
        assert templates.html(templates.html("<")) == "&lt;"
        assert templates.md(templates.md("<")) == "&#60;"


class TestTemplates:
    """The environment that templates run in."""

    def environment(self, **sources: str) -> jinja2.Environment:
        """The real one, over other templates."""
        files = {name.replace("_", "."): source for name, source in sources.items()}
        return templates._environment().overlay(loader=jinja2.DictLoader(files))

    def test_escape_what_no_filter_was_named_for(self) -> None:
        """A template cannot forget to escape: text, joined text and upper-cased markup all are."""
        source = "{{ text }} {{ [text]|join }} {{ (text|md)|upper }}"
        rendered = self.environment(a_md_j2=source).get_template("a.md.j2").render(text="[a]", text_limit=99)

        assert rendered == "&#91;a&#93; &#91;a&#93; &#38;<span>#</span>91;A&#38;<span>#</span>93;"

    def test_escape_html_in_html(self) -> None:
        """A page gets HTML's own escapes, and what is escaped already stays as it is (G14)."""
        source = "{{ text }} {{ text|html }}"
        rendered = self.environment(a_html_j2=source).get_template("a.html.j2").render(text="<[a]>")

        assert rendered == "&lt;[a]&gt; &lt;[a]&gt;"

    def test_are_compiled_once(self, tmp_path: Path) -> None:
        """A second process takes what the first one compiled, and without a place to keep it each compiles its own."""
        program = "from evaluator import templates; print(templates._environment().get_template('report/part.md.j2'))"

        def kept(**more: str) -> list[Path]:
            names = ("PATH", "HOME", "PYTHONPATH")
            environment = {name: os.environ[name] for name in names if name in os.environ} | more
            command = [sys.executable, "-c", program]
            subprocess.run(command, env=environment, cwd=ROOT, check=True, capture_output=True, timeout=60)
            return sorted(tmp_path.rglob("*.jinja"))

        assert kept(PYTHONPYCACHEPREFIX=str(tmp_path), PYTHONDONTWRITEBYTECODE="1") == []
        first = kept(PYTHONPYCACHEPREFIX=str(tmp_path))
        assert len(first) == 1
        written = first[0].stat().st_mtime_ns
        assert kept(PYTHONPYCACHEPREFIX=str(tmp_path)) == first
        assert first[0].stat().st_mtime_ns == written

    def test_cut_every_foreign_text(self) -> None:
        """No text is longer than the template was told."""
        rendered = self.environment(a_md_j2="{{ text }}").get_template("a.md.j2").render(text="abcdef", text_limit=3)

        assert rendered == "ab…"

    def test_offer_numbers(self) -> None:
        """A template rounds like everything else."""
        rendered = self.environment(a_md_j2="{{ 0.99999|num }}").get_template("a.md.j2").render(text_limit=9)

        assert rendered == "0.99999"

    def test_reach_nothing_of_the_interpreter(self) -> None:
        """A template reads values and nothing behind them."""
        template = self.environment(a_md_j2="{{ text.__class__.__mro__ }}").get_template("a.md.j2")

        with pytest.raises(jinja2.exceptions.SecurityError):
            template.render(text="x", text_limit=9)

    def test_that_are_missing_are_named(self) -> None:
        """A template that is not there is one sentence, not a traceback."""
        with pytest.raises(errors.TemplateError, match=r"report/none\.md\.j2 does not render"):
            templates.render("report/none.md.j2")

    def test_that_read_a_value_nobody_gave_are_named(self) -> None:
        """A value that is missing is an error, not an empty place."""
        with pytest.raises(errors.TemplateError, match=r"report/comment\.md\.j2 does not render: 'view' is undefined"):
            templates.render("report/comment.md.j2")
