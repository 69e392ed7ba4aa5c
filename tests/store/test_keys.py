"""API keys: made once, verified by their secret, revoked for good."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.store.makers import NOW

from wellworn.models.access import Caller, Role
from wellworn.models.errors import InvalidInput, NotFound
from wellworn.store.database import Database
from wellworn.store.keys import KeyTable


@pytest.fixture
def keys(tmp_path: Path) -> Iterator[KeyTable]:
    with Database(tmp_path / "wellworn.db") as db:
        yield KeyTable(db)


def test_a_secret_speaks_for_its_user_role_and_repos(keys: KeyTable) -> None:
    key, secret = keys.create(Role.agent, "ann", ["github.com/acme/shop"], "laptop", now=NOW)
    assert secret.startswith("ww_a")
    assert len(secret) == 47
    assert keys.verify(secret) == Caller(Role.agent, "ann", key.id, ("github.com/acme/shop",))
    assert keys.list() == [key]


def test_two_keys_never_share_a_secret(keys: KeyTable) -> None:
    secrets = {keys.create(Role.admin, "ann", now=NOW)[1] for _ in range(20)}
    assert len(secrets) == 20


def test_the_database_does_not_hold_the_secret(tmp_path: Path) -> None:
    with Database(tmp_path / "wellworn.db") as db:
        _, secret = KeyTable(db).create(Role.reviewer, "ann", now=NOW)
    assert secret[4:].encode() not in (tmp_path / "wellworn.db").read_bytes()


def test_a_secret_that_is_wrong_by_one_letter_is_unknown(keys: KeyTable) -> None:
    _, secret = keys.create(Role.agent, "ann", now=NOW)
    for wrong in (secret[:-1], secret + "x", secret.swapcase(), secret[3:], "", "ww_", "ww_" + "x" * 10_000):
        assert keys.verify(wrong) is None


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.text().map("ww_a".__add__))
def test_no_text_is_taken_for_a_key(keys: KeyTable, text: str) -> None:
    assert keys.verify(text) is None


def test_a_revoked_key_never_verifies_again(keys: KeyTable) -> None:
    key, secret = keys.create(Role.agent, "ann", now=NOW)
    _, other = keys.create(Role.agent, "bob", now=NOW)
    assert keys.revoke(key.id, now=NOW).revoked_at == NOW
    assert keys.revoke(key.id, now=NOW + timedelta(days=1)).revoked_at == NOW
    assert keys.verify(secret) is None
    assert keys.verify(other) is not None
    assert [one.revoked_at for one in keys.list()] == [NOW, None]


def test_revoking_an_unknown_key_says_so(keys: KeyTable) -> None:
    with pytest.raises(NotFound, match="01X"):
        keys.revoke("01X", now=NOW)


def test_it_is_known_whether_any_key_is_active(keys: KeyTable) -> None:
    assert not keys.any_active()
    key, _ = keys.create(Role.agent, "ann", now=NOW)
    assert keys.any_active()
    keys.revoke(key.id, now=NOW)
    assert not keys.any_active()


def test_a_use_is_noted_at_most_once_a_minute(keys: KeyTable) -> None:
    key, _ = keys.create(Role.agent, "ann", now=NOW)
    moments = [NOW + timedelta(seconds=seconds) for seconds in (0, 1, 59, 60, 61, 500)]
    assert [keys.touch(key.id, now=moment) for moment in moments] == [True, False, False, True, False, True]
    assert keys.list()[0].last_used_at == moments[-1]
    assert not keys.touch("unknown", now=NOW)


def test_a_key_without_a_user_is_refused(keys: KeyTable) -> None:
    for user, repos in ((" ", []), ("ann", [""])):
        with pytest.raises(InvalidInput):
            keys.create(Role.agent, user, repos, now=NOW)
    assert keys.list() == []
