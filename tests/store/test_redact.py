"""Secrets are known by the shape of the value."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.store.redact import redact

# Joined at run time so that no scanner takes these made-up values for real ones.
SECRETS = [
    "sk-" + "proj-" + "Abcdefgh12345678ijkl",
    "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789",
    "github_pat_" + "11ABCDEFG0abcdefghij_klmnopqrst",
    "AKIA" + "IOSFODNN7EXAMPLE",
    "xoxb-" + "123456789012-abcdefghij",
    "eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcDEFghi",
    "npm_" + "abcdefghijklmnopqrstuvwxyz0123456789",
    "ww_a_" + "abcdefghijklmnopqrstuvwxyz",
    "AbCdEf0123456789GhIjKlMnOpQrStUvWxYz0123",
]


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("frame", ["{}", "use {} for it", "KEY={}", '{{"token": "{}"}}', "curl -H 'X-Key: {}'"])
def test_a_value_of_a_secret_shape_is_taken_out_wherever_it_stands(secret: str, frame: str) -> None:
    assert secret not in redact(frame.format(secret))


@pytest.mark.parametrize(
    "text",
    ["password=hunter2secret", "PASSWORD: hunter2secret", '"api_key": "hunter2secret"', "db_token = hunter2secret"],
)
def test_a_value_assigned_to_a_secret_name_is_taken_out(text: str) -> None:
    redacted = redact(text)
    assert "hunter2secret" not in redacted
    assert "[redacted" in redacted


@pytest.mark.parametrize(
    "text",
    [
        "reset my password please",
        "the token count is high",
        "commit 8f14e45fceea167a5a36dedd4bea2543aa",
        "src/wellworn/resolver/features/context.py",
        "see https://example.org/a/b?c=d",
    ],
)
def test_ordinary_words_hashes_and_paths_stay(text: str) -> None:
    assert redact(text) == text


def test_credentials_in_an_address_are_taken_out_and_the_address_stays() -> None:
    assert redact("postgres://bob:pw123@db.local/app") == "postgres://[redacted credentials]@db.local/app"


def test_a_private_key_block_is_taken_out_even_when_it_was_cut_off() -> None:
    block = "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEow\nabc"
    assert "MIIEow" not in redact(f"here: {block}")


def test_home_folders_and_e_mail_addresses_are_taken_out() -> None:
    assert redact("/home/alice/x and /Users/bob/y by c.d@ex.org") == "~/x and ~/y by [redacted e-mail]"


@given(st.text())
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = redact(text)
    assert redact(once) == once
