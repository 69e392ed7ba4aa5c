"""A message made ready: what is kept, what is cut out, how it is bounded."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.resolver.message import REQUEST_LIMIT, normalise, read_message, split_words

PIECES = [
    "```",
    "~~~",
    "\n",
    "> ",
    "{",
    "}",
    '"a": 1,',
    "    x = 1",
    "at f (a.js:1)",
    "fix it",
    "$ ls",
    "@@ -1 +1 @@",
    "\t",
]
TEXTS = st.one_of(st.text(max_size=400), st.lists(st.sampled_from(PIECES), max_size=60).map("".join))


@pytest.mark.parametrize(
    ("pasted", "kind"),
    [
        ("```python\nprint('x')\n```", "code"),
        ("~~~\nmake\n~~~", "code"),
        ("```\nmake", "code"),
        ("def f(x):\n    return x", "code"),
        ("$ npm test", "code"),
        ('Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    f()\nValueError: no', "trace"),
        ("TypeError: x is not a function\n    at f (a.js:1:2)\n    at g (b.js:3:4)", "trace"),
        ("thread 'main' panicked at src/main.rs:2:5", "trace"),
        ("2024-05-01T10:00:00Z INFO started\n2024-05-01T10:00:01Z WARN slow", "log"),
        ("[ERROR] no such host", "log"),
        ("diff --git a/x b/x\nindex 0a1b2c3..4d5e6f7 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b", "diff"),
        ("> what do you think?\n> I am not sure", "quote"),
        ('{\n  "name": "x",\n  "list": [1, 2]\n}', "json"),
    ],
)
def test_pasted_thing_is_cut_out_and_named(pasted: str, kind: str) -> None:
    message = read_message(f"please look at this\n\n{pasted}\n\nand fix it")

    assert message.pasted[0] == kind
    assert message.request.split() == ["please", "look", "at", "this", "and", "fix", "it"] or kind == "code"
    assert message.request.startswith("please look at this")


def test_request_after_a_fenced_block_is_kept() -> None:
    assert read_message("```\nmake all\n```\nwhy does this fail?").request == "why does this fail?"


def test_lists_and_inline_code_are_not_pasted_things() -> None:
    message = read_message("please\n- run `make test`\n- open a PR")

    assert message.pasted == ()
    assert message.request == "please\n- run `make test`\n- open a PR"


def test_hard_wrapped_lines_are_joined_and_paragraphs_are_not() -> None:
    wrapped = "run all of the smoke tests of the package\nfrom   scratch\n\nthen stop\nand wait"

    assert (
        read_message(wrapped).request == "run all of the smoke tests of the package from scratch\nthen stop\nand wait"
    )


def test_message_that_is_all_code_falls_back_to_its_beginning() -> None:
    message = read_message("```\nnpm publish --tag next\n```")

    assert message.pasted == ("code",)
    assert "npm publish --tag next" in message.request
    assert not message.empty


def test_long_request_keeps_its_beginning_and_its_end() -> None:
    message = read_message("deploy it. " + "some words of a story " * 400 + "and then tag it")

    assert len(message.request) <= REQUEST_LIMIT
    assert message.request.startswith("deploy it.")
    assert message.request.endswith("and then tag it")
    assert message.original_length > REQUEST_LIMIT


@pytest.mark.parametrize("text", ["", "  \n\t ", "?!…", "👍", "\u200b\ufeff", "\x00\x07", "\ud800"])
def test_message_without_a_word_is_empty(text: str) -> None:
    assert read_message(text).empty


def test_invisible_characters_and_escape_sequences_are_removed() -> None:
    assert read_message("run\u200b the \x1b[31mtests\x1b[0m\x07\ufeff").request == "run the tests"


def test_curly_quotes_become_straight() -> None:
    assert read_message("don’t “publish”").request == 'don\'t "publish"'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  Ship   It! ", "ship it"),
        ("“Ship it”", "ship it"),
        ("Straße", "strasse"),
        ("ｓｈｉｐ ｉｔ", "ship it"),
        ("/release", "release"),
        ("c++", "c++"),
        (".net", ".net"),
        ("発行する。", "発行する"),
    ],
)
def test_normalised_form_ignores_case_width_and_edges(text: str, expected: str) -> None:
    assert normalise(text) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Run the smoke-tests, v2!", ("run", "the", "smoke", "tests", "v2")),
        ("发布新版本", ("发布", "布新", "新版", "版本")),
        ("用npm发布", ("用", "npm", "发布")),
        ("परीक्षण चलाओ", ("परीक्षण", "चलाओ")),
        ("запусти тесты", ("запусти", "тесты")),
        ("", ()),
    ],
)
def test_words_are_split_for_every_script(text: str, words: tuple[str, ...]) -> None:
    assert split_words(text) == words


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("run the tests and deploy it", None),
        ("deploy", None),
        ("发布新版本", "cjk"),
        ("テストを実行して deploy", "cjk"),
        ("테스트를 실행해 주세요", "hangul"),
        ("запусти тесты", "cyrillic"),
        ("شغل الاختبارات", "arabic"),
        ("הרץ את הבדיקות", "hebrew"),
        ("τρέξε τα τεστ", "greek"),
        ("परीक्षण चलाओ", "devanagari"),
        ("รันการทดสอบ", "thai"),
        ("bitte führe die Tests aus und mach einen Release", "de"),
        ("peux-tu lancer les tests avec la nouvelle version", "fr"),
        ("ejecuta las pruebas por favor y publica el paquete", "es"),
        ("você pode executar os testes para mim", "pt"),
        ("puoi controllare il codice e eseguire i test per favore", "it"),
        ("kun je de tests uitvoeren voor mij alsjeblieft", "nl"),
        ("the naïve café", None),
    ],
)
def test_language_is_guessed_from_script_and_common_words(text: str, hint: str | None) -> None:
    assert read_message(text).language_hint == hint


@given(TEXTS)
def test_any_text_is_read_within_bounds(text: str) -> None:
    message = read_message(text)

    assert message.original_length == len(text)
    assert len(message.request) <= REQUEST_LIMIT
    assert message.request == unicodedata.normalize("NFC", message.request)
    assert not any(
        unicodedata.category(character) in ("Cc", "Cs") for character in message.request if character != "\n"
    )
    assert message.empty == (not message.words)
    message.request.encode("utf-8")


@given(TEXTS)
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@given(TEXTS)
def test_reading_a_request_again_keeps_its_words(text: str) -> None:
    message = read_message(text)
    if not message.pasted:
        assert read_message(message.request).words == message.words or "\n" in message.request


@given(st.text(alphabet="abc de", max_size=40))
def test_plain_words_are_kept_as_they_are(text: str) -> None:
    assert read_message(text).request == " ".join(text.split())
