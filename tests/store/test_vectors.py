"""Stored vectors: what is found again, and that damage of any kind never yields a wrong one."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wellworn.models.errors import InvalidInput, StoreError
from wellworn.store.vectors import FloatArray, VectorStore, text_hash

DIM = 24
ONE, OTHER = "a1" * 32, "b2" * 32


def make_vectors(count: int, dim: int = DIM, seed: int = 0) -> tuple[list[bytes], FloatArray]:
    matrix = np.random.default_rng(seed).normal(size=(count, dim)).astype(np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    return [text_hash(f"{seed} {number}") for number in range(count)], matrix


def filled(folder: Path, count: int = 300, fingerprint: str = ONE) -> dict[bytes, bytes]:
    """Store `count` vectors, close, and return them as bytes."""
    hashes, matrix = make_vectors(count)
    with VectorStore(folder, fingerprint, DIM) as store:
        store.put_many(hashes, matrix)
    return {digest: row.tobytes() for digest, row in zip(hashes, matrix, strict=True)}


def contents(store: VectorStore) -> dict[bytes, bytes]:
    hashes, matrix = store.load_all()
    return {digest: row.tobytes() for digest, row in zip(hashes, matrix, strict=True)}


def file_of(folder: Path, fingerprint: str = ONE) -> Path:
    return folder / f"{fingerprint[:32]}.db"


def test_what_was_stored_is_found_after_a_restart(tmp_path: Path) -> None:
    expected = filled(tmp_path)
    with VectorStore(tmp_path, ONE, DIM) as store:
        assert contents(store) == expected
        wanted = list(expected)[:7]
        found = store.get_many([*wanted, wanted[0], text_hash("never seen")])
        assert {digest: row.tobytes() for digest, row in found.items()} == {one: expected[one] for one in wanted}
        assert store.known() == set(expected)
        assert store.problems == []


def test_an_empty_store_answers_with_empty_arrays(tmp_path: Path) -> None:
    with VectorStore(tmp_path, ONE, DIM) as store:
        hashes, matrix = store.load_all()
        assert hashes == []
        assert matrix.shape == (0, DIM)
        assert matrix.dtype == np.float32
        assert store.get_many([]) == {}


def test_a_vector_stored_again_replaces_the_old_one(tmp_path: Path) -> None:
    (digest,), old = make_vectors(1)
    _, new = make_vectors(1, seed=1)
    with VectorStore(tmp_path, ONE, DIM) as store:
        store.put_many([digest], old)
        store.put_many([digest], new)
        assert contents(store) == {digest: new[0].tobytes()}


def test_unused_vectors_are_dropped_and_the_others_kept(tmp_path: Path) -> None:
    expected = filled(tmp_path)
    keep = set(list(expected)[:100])
    with VectorStore(tmp_path, ONE, DIM) as store:
        assert store.drop_unused(keep) == 200
        assert contents(store) == {one: expected[one] for one in keep}


@pytest.mark.parametrize("bad", [np.nan, np.inf, 3.0, 1e30])
def test_a_batch_with_one_vector_that_is_not_of_length_one_stores_nothing(tmp_path: Path, bad: float) -> None:
    hashes, matrix = make_vectors(3)
    matrix[1, 0] = bad
    with VectorStore(tmp_path, ONE, DIM) as store:
        with pytest.raises(InvalidInput):
            store.put_many(hashes, matrix)
        assert store.known() == set()


def test_a_batch_of_the_wrong_shape_is_refused(tmp_path: Path) -> None:
    hashes, matrix = make_vectors(3)
    with VectorStore(tmp_path, ONE, DIM) as store:
        for wrong in (matrix[:2], matrix[:, :5], matrix[0]):
            with pytest.raises(InvalidInput):
                store.put_many(hashes, wrong)


def test_a_fingerprint_that_is_not_hexadecimal_never_becomes_a_path(tmp_path: Path) -> None:
    for fingerprint in ("../../x", "", "ABC"):
        with pytest.raises(InvalidInput):
            VectorStore(tmp_path, fingerprint, DIM)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "vectors").write_text("mine", encoding="utf-8")
    with pytest.raises(StoreError, match="vectors"):
        VectorStore(tmp_path / "vectors", ONE, DIM)


def test_threads_share_one_store(tmp_path: Path) -> None:
    hashes, matrix = make_vectors(400)
    with VectorStore(tmp_path, ONE, DIM) as store:

        def work(start: int) -> None:
            for at in range(start, 400, 40):
                store.put_many(hashes[at : at + 10], matrix[at : at + 10])
                store.get_many(hashes)

        threads = [threading.Thread(target=work, args=(start,)) for start in (0, 10, 20, 30)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(store.known()) == 400


def test_two_openings_of_one_file_see_each_other(tmp_path: Path) -> None:
    hashes, matrix = make_vectors(20)
    with VectorStore(tmp_path, ONE, DIM) as mine, VectorStore(tmp_path, ONE, DIM) as theirs:
        mine.put_many(hashes[:12], matrix[:12])
        theirs.put_many(hashes[8:], matrix[8:])
        assert contents(mine) == contents(theirs)
        assert len(mine.known()) == 20


# -- damage ------------------------------------------------------------------------------------------------------------


def test_a_file_copied_from_another_model_is_set_aside(tmp_path: Path) -> None:
    filled(tmp_path, fingerprint=OTHER)
    shutil.copy(file_of(tmp_path, OTHER), file_of(tmp_path, ONE))
    with VectorStore(tmp_path, ONE, DIM) as store:
        assert store.known() == set()
        assert "another encoder" in store.problems[0]
    assert Path(f"{file_of(tmp_path)}.damaged-1").exists()
    with VectorStore(tmp_path, OTHER, DIM) as store:
        assert len(store.known()) == 300


def test_a_file_of_another_dimension_is_set_aside(tmp_path: Path) -> None:
    filled(tmp_path)
    with VectorStore(tmp_path, ONE, DIM + 1) as store:
        assert store.load_all()[1].shape == (0, DIM + 1)
        assert len(store.problems) == 1


def test_a_full_fingerprint_is_compared_not_only_its_part_in_the_name(tmp_path: Path) -> None:
    filled(tmp_path)
    with VectorStore(tmp_path, ONE[:32] + "0" * 32, DIM) as store:
        assert store.known() == set()


@pytest.mark.parametrize("content", [b"garbage " * 5000, b"SQLite format 3\x00" + b"\xff" * 20000])
def test_a_file_of_garbage_is_set_aside_under_the_next_free_name(tmp_path: Path, content: bytes) -> None:
    for number in (1, 2):
        file_of(tmp_path).write_bytes(content)
        with VectorStore(tmp_path, ONE, DIM) as store:
            assert len(store.problems) == 1
            hashes, matrix = make_vectors(2)
            store.put_many(hashes, matrix)
        assert Path(f"{file_of(tmp_path)}.damaged-{number}").read_bytes() == content


def test_another_programs_database_is_set_aside(tmp_path: Path) -> None:
    connection = sqlite3.connect(file_of(tmp_path))
    connection.execute("CREATE TABLE theirs (id)")
    connection.close()
    with VectorStore(tmp_path, ONE, DIM) as store:
        assert "not a file of vectors" in store.problems[0]


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 0.999])
def test_a_truncated_file_yields_right_vectors_or_none(tmp_path: Path, part: float) -> None:
    expected = filled(tmp_path)
    data = file_of(tmp_path).read_bytes()
    file_of(tmp_path).write_bytes(data[: int(len(data) * part)])
    check_damaged(tmp_path, expected)


def check_damaged(folder: Path, expected: dict[bytes, bytes]) -> None:
    """Whatever is served is right, and all can be stored and found again."""
    hashes, matrix = make_vectors(len(expected))
    with VectorStore(folder, ONE, DIM) as store:
        served = contents(store)
        assert served.items() <= expected.items()
        assert {one: row.tobytes() for one, row in store.get_many(hashes).items()}.items() <= expected.items()
        store.put_many(hashes, matrix)
    with VectorStore(folder, ONE, DIM) as store:
        assert contents(store) == expected


def test_a_flipped_bit_in_a_vector_costs_that_vector_only(tmp_path: Path) -> None:
    expected = filled(tmp_path)
    victim = list(expected)[150]
    data = bytearray(file_of(tmp_path).read_bytes())
    data[data.index(expected[victim]) + 3] ^= 0x01
    file_of(tmp_path).write_bytes(data)
    with VectorStore(tmp_path, ONE, DIM) as store:
        assert contents(store) == {one: row for one, row in expected.items() if one != victim}
        assert "1 damaged vectors were dropped" in store.problems[0]
        assert victim not in store.known()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(1, 255)), min_size=1, max_size=6))
def test_flipped_bytes_anywhere_never_yield_a_wrong_vector(
    tmp_path_factory: pytest.TempPathFactory, flips: list[tuple[float, int]]
) -> None:
    folder = tmp_path_factory.mktemp("flip")
    expected = filled(folder, count=120)
    data = bytearray(file_of(folder).read_bytes())
    for place, mask in flips:
        data[int(place * len(data))] ^= mask
    file_of(folder).write_bytes(data)
    check_damaged(folder, expected)
    shutil.rmtree(folder)


def test_every_byte_of_the_header_and_schema_may_flip(tmp_path: Path) -> None:
    expected = filled(tmp_path, count=20)
    data = file_of(tmp_path).read_bytes()
    for offset in [*range(0, 108), *range(16384 - 700, 16384, 23)]:
        folder = tmp_path / str(offset)
        folder.mkdir()
        changed = bytearray(data)
        changed[offset] ^= 0xFF
        file_of(folder).write_bytes(changed)
        check_damaged(folder, expected)


def test_a_damaged_file_is_set_aside_while_another_opening_uses_it(tmp_path: Path) -> None:
    expected = filled(tmp_path)
    with VectorStore(tmp_path, ONE, DIM) as mine, VectorStore(tmp_path, ONE, DIM) as theirs:
        assert contents(theirs) == expected
        data = bytearray(file_of(tmp_path).read_bytes())
        data[16384:] = b"\x55" * len(data[16384:])
        with file_of(tmp_path).open("r+b") as file:
            file.write(data)
        for store in (mine, theirs):
            assert contents(store).items() <= expected.items()
        hashes, matrix = make_vectors(5)
        theirs.put_many(hashes, matrix)
        assert contents(mine) == contents(theirs) == {one: expected[one] for one in hashes}
    with VectorStore(tmp_path, ONE, DIM) as store:
        assert store.known() == set(hashes)
        assert store.problems == []


def test_a_file_deleted_while_open_is_made_again(tmp_path: Path) -> None:
    filled(tmp_path)
    hashes, matrix = make_vectors(5)
    with VectorStore(tmp_path, ONE, DIM) as store:
        for file in tmp_path.glob("*.db*"):
            file.unlink()
        store.put_many(hashes, matrix)
        assert store.known() == set(hashes)
    with VectorStore(tmp_path, ONE, DIM) as store:
        assert store.known() == set(hashes)


def test_a_closed_store_says_that_it_is_closed(tmp_path: Path) -> None:
    store = VectorStore(tmp_path, ONE, DIM)
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.known()


def test_fifty_openings_leave_no_descriptor_behind(tmp_path: Path) -> None:
    filled(tmp_path)
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(50):
        with VectorStore(tmp_path, ONE, DIM) as store:
            store.known()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


# -- the key of a text -------------------------------------------------------------------------------------------------


def test_texts_that_differ_in_white_space_or_composition_share_a_hash() -> None:
    assert text_hash("caf\u00e9  au\nlait ") == text_hash("cafe\u0301 au lait")
    assert text_hash("Ship it") != text_hash("ship it")


@given(st.text())
def test_every_text_has_a_hash_of_sixteen_bytes(text: str) -> None:
    assert len(text_hash(text)) == 16
    assert text_hash(text) == text_hash(f" {text}\n")
