import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.store.yaml_read import Plain, YamlMap, YamlProblem, read_yaml, typed


def test_unquoted_scalars_stay_as_written_until_their_type_is_asked_for() -> None:
    values = read_yaml("version: 1.10\nanswer: on\ncount: 3\nnothing:\nquoted: '1.10'")
    assert {key: str(value) for key, value in values.items()} == {
        "version": "1.10",
        "answer": "on",
        "count": "3",
        "nothing": "",
        "quoted": "1.10",
    }
    assert typed(values) == {"version": 1.1, "answer": "on", "count": 3, "nothing": None, "quoted": "1.10"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("no", "no"),
        ("0o17", 15),
        ("0x1F", 31),
        ("017", 17),
        ("1e3", 1000.0),
        ("-.5", -0.5),
        ("2026-11-30", "2026-11-30"),
        ("12:30:45", "12:30:45"),
        ("1_000", "1_000"),
        ("~", None),
        ("9" * 5000, "9" * 5000),
    ],
)
def test_types_are_those_of_yaml_1_2(text: str, value: object) -> None:
    assert typed(Plain(text)) == value


def test_each_key_knows_its_line_and_a_repeated_one_its_first() -> None:
    values = read_yaml("# top\na: 1\nb:\n  - x\na: 2", first_line=10)
    assert isinstance(values, YamlMap)
    assert values["a"] == "2"
    assert values.lines == {"a": 14, "b": 12}
    assert values.repeated == {"a": (11, "1")}


def test_an_alias_bomb_is_refused_quickly() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join(f'*a{n - 1}' for _ in range(10))}]" for n in range(1, 10)]
    with pytest.raises(YamlProblem, match=r"values|aliases"):
        read_yaml("\n".join(lines))


def test_an_alias_to_itself_is_refused() -> None:
    with pytest.raises(YamlProblem, match="before its anchor"):
        read_yaml("a: &a [*a]")


@pytest.mark.parametrize("text", ["[" * 100_000, "a: " + "{a: " * 50_000, "- " * 50_000 + "x"])
def test_deep_nesting_is_refused_without_a_crash(text: str) -> None:
    with pytest.raises(YamlProblem):
        read_yaml(text)


def test_a_few_aliases_and_merge_keys_work() -> None:
    values = read_yaml("base: &b {x: 1, y: 2}\nuse:\n  <<: *b\n  y: 3")
    assert typed(values["use"]) == {"y": 3, "x": 1}


def test_a_tag_that_would_build_an_object_is_refused_with_its_line() -> None:
    with pytest.raises(YamlProblem, match="not supported") as caught:
        read_yaml("a: 1\nb: !!python/object/apply:os.system ['true']")
    assert caught.value.line == 2


@given(st.text(alphabet=st.sampled_from("ab:- \n\t'\"[]{}&*!|>%@`#,?\\~<0."), max_size=80))
def test_any_text_gives_a_value_or_a_problem(text: str) -> None:
    try:
        value = read_yaml(text)
    except YamlProblem:
        return
    typed(value)
