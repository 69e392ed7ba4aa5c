"""Parameter files: whole, versioned, for one encoder, with a plain word about what cannot be used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wellworn.index.encoders import open_encoder
from wellworn.models.errors import InvalidInput
from wellworn.resolver.parameters import SHIPPED, Parameters, load_parameters, read_parameters


def shipped() -> dict[str, Any]:
    data: dict[str, Any] = json.loads((SHIPPED / "bundled.json").read_text(encoding="utf-8"))
    return data


def written(folder: Path, data: object) -> Path:
    path = folder / "parameters.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def test_the_bundled_encoder_has_parameters_of_its_own() -> None:
    parameters, note = load_parameters(open_encoder("bundled").fingerprint)
    assert parameters.name == "bundled"
    assert note is None


def test_the_shipped_file_says_what_it_was_fitted_on_and_how_well_it_did() -> None:
    provenance = load_parameters(open_encoder("bundled").fingerprint)[0].provenance
    assert provenance is not None
    assert provenance.data
    assert provenance.measured["banking77"]["top1"] > 0.8


def test_another_encoder_gets_a_fallback_and_a_word_about_it() -> None:
    parameters, note = load_parameters("feed")
    assert parameters.name == "bundled"
    assert note is not None
    assert "calibrate" in note


def test_a_file_of_ones_own_takes_precedence(tmp_path: Path) -> None:
    path = written(tmp_path, {**shipped(), "name": "mine", "fingerprint": "feed"})
    assert load_parameters("feed", path)[0].name == "mine"
    assert load_parameters("feed", path)[1] is None


def test_a_file_for_another_encoder_is_used_with_a_warning(tmp_path: Path) -> None:
    parameters, note = load_parameters("beef", written(tmp_path, {**shipped(), "name": "mine", "fingerprint": "feed"}))
    assert parameters.name == "mine"
    assert note is not None


def broken(**changes: Any) -> dict[str, Any]:
    return {**shipped(), **changes}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (broken(format=99), "format"),
        (broken(rank={}), "rank"),
        (broken(gate={**shipped()["gate"], "body": {"constant": 1.0}}), "gate.body"),
        (broken(bounded={**shipped()["bounded"], "luck": 1.0}), "luck"),
        (broken(mood=-1.0), "mood"),
        (broken(surprise=1), "surprise"),
        ([1, 2], "file"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_by_name(tmp_path: Path, data: object, words: str) -> None:
    path = written(tmp_path, data)
    with pytest.raises(InvalidInput) as caught:
        read_parameters(path)
    assert str(path) in str(caught.value)
    assert words in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be read"):
        load_parameters("feed", tmp_path / "none.json")


def test_parameters_survive_a_round_trip(tmp_path: Path) -> None:
    parameters = read_parameters(SHIPPED / "bundled.json")
    path = tmp_path / "copy.json"
    path.write_text(parameters.model_dump_json(by_alias=True), encoding="utf-8")
    assert read_parameters(path) == parameters
    assert isinstance(read_parameters(path), Parameters)
