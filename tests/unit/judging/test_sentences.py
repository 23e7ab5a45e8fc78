"""An answer as sentences: nothing lost, nothing cut in two that belongs together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.judging.sentences import sentences

CASES: list[tuple[str, str, list[str]]] = [
    ("en", "We open at 9. We close at 5!", ["We open at 9.", "We close at 5!"]),
    ("en", "It costs 3.5 million. Or $1,000.50?", ["It costs 3.5 million.", "Or $1,000.50?"]),
    ("en", "Dr. Smith, e.g. J. R. Hartley, left. He did.", ["Dr. Smith, e.g. J. R. Hartley, left.", "He did."]),
    ("en", "Gov. Smith met Rep. Jones. They spoke.", ["Gov. Smith met Rep. Jones.", "They spoke."]),
    ("en", "Use version 2.0.1. It works.", ["Use version 2.0.1.", "It works."]),
    ("en", "Is it? No. 5 is missing.", ["Is it?", "No. 5 is missing."]),
    ("en", "The answer is no. You cannot.", ["The answer is no.", "You cannot."]),
    ("en", 'He said "Stop." Then he left.', ['He said "Stop."', "Then he left."]),
    ("en", '"Really?" he asked. Yes.', ['"Really?" he asked.', "Yes."]),
    ("en", "Within 30 days.[1] Later not [2]. [3] Never.", ["Within 30 days.[1]", "Later not [2]. [3]", "Never."]),
    ("en", "See [the page](http://a.b/c.d). Done.", ["See [the page](http://a.b/c.d).", "Done."]),
    ("en", "Well... Perhaps. And... so on.", ["Well...", "Perhaps.", "And... so on."]),
    ("en", "Run `a. B` first. Then stop.", ["Run `a. B` first.", "Then stop."]),
    ("en", "# Fees\nThe fee is 5 euros\nA guest pays 8", ["# Fees", "The fee is 5 euros", "A guest pays 8"]),
    ("en", "1. Call us.\n2. Pay. Wait.\n- done", ["1. Call us.", "2. Pay.", "Wait.", "- done"]),
    ("en", "* one\n  goes on\n* two", ["* one\n  goes on", "* two"]),
    (
        "en",
        "The service that is described in this part of the handbook by\nDr Smith is closed. Yes.",
        ["The service that is described in this part of the handbook by\nDr Smith is closed.", "Yes."],
    ),
    ("en", "Do:\n```py\nx = 1. \ny = 'A. B'\n```\nDone.", ["Do:", "```py\nx = 1. \ny = 'A. B'\n```", "Done."]),
    ("en", "~~~\nopen. Ended\n", ["~~~\nopen. Ended"]),
    ("en", "|a|b|\n|-|-|\n|1. X|2|", ["|a|b|\n|-|-|", "|1. X|2|"]),
    ("en", "Yes.\n\n---\n\nNo.", ["Yes.\n---", "No."]),
    ("sv", "Det gäller t.ex. Malmö. Priset är 3,5 kr.", ["Det gäller t.ex. Malmö.", "Priset är 3,5 kr."]),
    ("sv", "Läs bl.a. kap. 3. Sedan är det klart.", ["Läs bl.a. kap. 3.", "Sedan är det klart."]),
    ("hu", "A 3. nap után, pl. Pécsen. Kész.", ["A 3. nap után, pl. Pécsen.", "Kész."]),
    ("hu", "A 12. Kerületben. 2024. május 5-én nyit.", ["A 12. Kerületben.", "2024. május 5-én nyit."]),
    ("pl", "Zwrot np. Pocztą, art. 5 ust. 2. Tak.", ["Zwrot np. Pocztą, art. 5 ust. 2. Tak."]),
    ("pl", "To trwa 14 dni. Nie dłużej.", ["To trwa 14 dni.", "Nie dłużej."]),
    ("de", "Am 3. Mai z.B. in Berlin. Gut.", ["Am 3. Mai z.B. in Berlin.", "Gut."]),
    ("zh", "三十天内可以退货。运费是3.5元！真的吗？是的", ["三十天内可以退货。", "运费是3.5元！", "真的吗？", "是的"]),
    ("zh", "他说：“可以。”然后走了。好。", ["他说：“可以。”然后走了。", "好。"]),
    ("zh", "一、先付款\n二、再等", ["一、先付款", "二、再等"]),
    ("ja", "返品は30日以内です。無料！「はい。」と言う。", ["返品は30日以内です。", "無料！", "「はい。」と言う。"]),
    ("hi", "यह खुला है। कल बंद है।", ["यह खुला है।", "कल बंद है।"]),
    ("en", "...", ["..."]),
    ("en", " \n\t ", []),
    ("en", "五味子", ["五味子"]),
]  # fmt: skip


@pytest.mark.parametrize(("language", "text", "expected"), CASES)
def test_an_answer_is_cut_where_its_sentences_end(language: str, text: str, expected: list[str]) -> None:
    """L2: decimals, abbreviations, quotes, citations, code and lists hold together; 。！？ end a sentence."""
    assert list(sentences(text, language)) == expected


@given(
    st.lists(
        st.sampled_from(
            [". ", "。", "! ", "?", "\n", "\n\n", "- ", "1. ", "```", "`", "Dr. ", "word", "Next", "3", "”", "[1]"]
        ),
        max_size=30,
    ),
    st.sampled_from(["en", "sv", "hu", "pl", "zh-Hant", "ja", "de"]),
)  # fmt: skip
def test_nothing_of_an_answer_is_lost(parts: list[str], language: str) -> None:
    """S12: what is no white space is in just one sentence, in its order, so that no claim can hide between two."""
    text = "".join(parts)
    found = sentences(text, language)

    assert "".join("".join(found).split()) == "".join(text.split())
    assert all(each == each.strip() != "" for each in found)
    assert len(found) < 2 or all(any(map(str.isalnum, each)) for each in found)


@given(st.text(max_size=80))
def test_any_text_at_all_is_kept_whole(text: str) -> None:
    """The same holds for any characters."""
    assert "".join("".join(sentences(text, "en")).split()) == "".join(text.split())
