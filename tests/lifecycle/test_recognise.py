"""Recognising test runners, how test runs end, corrections and the rules that they mean."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.lifecycle import rules_said, said

from wellworn.lifecycle import recognise
from wellworn.lifecycle.recognise import Rule, correction_rule, is_correction, is_fact, rule_of, same_rule

RUNNERS = {
    "pytest": "pytest",
    "pytest -q tests/unit": "pytest",
    "py.test tests": "pytest",
    "python -m pytest -x": "pytest",
    "python3 -m pytest": "pytest",
    "python3.12 -m unittest discover": "unittest",
    "uv run pytest": "pytest",
    "uv run --with x pytest -q": "pytest",
    "poetry run pytest": "pytest",
    "pipenv run pytest": "pytest",
    "time pytest": "pytest",
    "CI=1 PYTHONPATH=. pytest": "pytest",
    "cd app && pytest": "pytest",
    "(cd app && pytest -q) 2>&1 | tail -20": "pytest",
    ".venv/bin/pytest -q": "pytest",
    "source .venv/bin/activate && pytest": "pytest",
    "docker compose run --rm web pytest": "pytest",
    "timeout 60 pytest -q": "pytest",
    "bash -c 'pytest -q'": "pytest",
    "tox -e py312": "tox",
    "nox -s tests": "nox",
    "python manage.py test": "manage.py test",
    "jest --watch": "jest",
    "npx jest": "jest",
    "npx vitest run": "vitest",
    "pnpm exec vitest": "vitest",
    "pnpm vitest run": "vitest",
    "yarn jest": "jest",
    "bunx vitest": "vitest",
    "mocha": "mocha",
    "npx ava": "ava",
    "npx playwright test": "playwright test",
    "pnpm exec playwright test --ui": "playwright test",
    "npx cypress run": "cypress run",
    "npm test": "npm test",
    "npm t": "npm test",
    "npm run test": "npm test",
    "npm run test:unit -- --watch=false": "npm run test:unit",
    "npm --prefix web test": "npm test",
    "pnpm test": "pnpm test",
    "pnpm -C web test": "pnpm test",
    "pnpm --filter api test": "pnpm test",
    "yarn test": "yarn test",
    "yarn run test:e2e": "yarn run test:e2e",
    "bun test": "bun test",
    "bun run test": "bun test",
    "go test ./...": "go test",
    "go test -run TestX ./pkg": "go test",
    "cargo test": "cargo test",
    "cargo test --workspace -- --nocapture": "cargo test",
    "cargo nextest run": "cargo nextest",
    "mvn test": "mvn test",
    "mvn -q clean verify": "mvn verify",
    "./mvnw -B verify": "mvn verify",
    "gradle test": "gradle test",
    "./gradlew check": "gradle check",
    "./gradlew :app:testDebugUnitTest": "gradle testDebugUnitTest",
    "make test": "make test",
    "make -C api check": "make check",
    "make -j4 test": "make test",
    "make unit-test": "make unit-test",
    "just test": "just test",
    "task test": "task test",
    "rspec spec/models": "rspec",
    "bundle exec rspec": "rspec",
    "bundle exec rake test": "rake test",
    "bin/rails test": "rails test",
    "phpunit": "phpunit",
    "vendor/bin/phpunit --filter X": "phpunit",
    "dotnet test": "dotnet test",
    "swift test": "swift test",
    "ctest --output-on-failure": "ctest",
    "bazel test //...": "bazel test",
    "deno test -A": "deno test",
    "mix test": "mix test",
    "sbt test": "sbt test",
    "flutter test": "flutter test",
    "node --test": "node --test",
    "./run_tests.sh": "run_tests.sh",
    "./test.sh --fast": "test.sh",
}

NOT_RUNNERS = """
ls tests
cat tests/test_app.py
git commit -m "fix the tests"
git add tests && git commit -m 'pytest passes'
echo pytest
pip install pytest
npm install --save-dev jest
pnpm add -D vitest
pytest --version
pytest --collect-only -q
jest --listTests
grep -rn "npm test" .
npm run build
npm run lint
npm run check:types
cargo build
cargo check
go vet ./...
mvn package -DskipTests
test -f package.json
[ -f x ] && echo yes
rm -rf tests
vim test.sh
make build
make typecheck
gh run view --log
docker build -t test .
curl http://localhost/test
cd test
which pytest
""".strip().splitlines()


@pytest.mark.parametrize(("command", "runner"), RUNNERS.items())
def test_a_runner_is_recognised_behind_whatever_starts_it(command: str, runner: str) -> None:
    assert recognise.test_runner(command) == runner


@pytest.mark.parametrize("command", NOT_RUNNERS)
def test_what_only_speaks_of_tests_is_no_runner(command: str) -> None:
    assert recognise.test_runner(command) is None


@pytest.mark.parametrize(
    ("output", "passed"),
    [
        ("===== 12 passed in 0.4s =====", True),
        ("===== 1 failed, 11 passed in 0.4s =====", False),
        ("Tests:       1 failed, 3 passed, 4 total", False),
        ("Tests:       4 passed, 4 total", True),
        ("test result: ok. 8 passed; 0 failed; 0 ignored", True),
        ("test result: FAILED. 7 passed; 1 failed", False),
        ("ok  \texample.com/x\t0.01s", True),
        ("--- FAIL: TestX (0.00s)\nFAIL", False),
        ("Ran 3 tests in 0.001s\n\nOK", True),
        ("Ran 3 tests in 0.001s\n\nFAILED (failures=1)", False),
        ("[INFO] BUILD SUCCESS", True),
        ("[INFO] BUILD FAILURE", False),
        ("12 examples, 0 failures", True),
        ("npm ERR! Test failed.", False),
        ("collected 0 items\n\nno tests ran in 0.01s", False),
        ("a log line: Traceback (most recent call last)\n5 passed in 1s", True),
        ("Traceback (most recent call last):\n  File x", False),
        ("", None),
        ("building...", None),
    ],
)
def test_the_output_tells_whether_a_test_run_passed(output: str, passed: bool | None) -> None:
    assert recognise.test_outcome(output) is passed


def share_right(corrections: list[str], others: list[str]) -> float:
    right = sum(map(is_correction, corrections)) + sum(not is_correction(text) for text in others)
    return right / (len(corrections) + len(others))


def test_corrections_are_told_from_other_messages() -> None:
    assert share_right(said.FIRST_CORRECTIONS, said.FIRST_OTHERS) >= 0.98
    assert share_right(said.SECOND_CORRECTIONS, said.SECOND_OTHERS) >= 0.98  # 0.67 before it was looked at
    assert share_right(said.THIRD_CORRECTIONS, said.THIRD_OTHERS) >= 0.98  # 0.93 before it was looked at
    assert share_right(said.FOURTH_CORRECTIONS, said.FOURTH_OTHERS) >= 0.98  # 0.84 before it was looked at


@pytest.mark.parametrize("text", ["no, use pnpm", "not that one", "No,   use\npnpm", "NO USE PNPM", "no, use “pnpm”"])
def test_case_spaces_and_curly_quotes_do_not_matter(text: str) -> None:
    assert is_correction(text)


def test_a_long_pasted_text_is_no_correction() -> None:
    assert not is_correction("no, use pnpm\n" + "at line 3: error\n" * 40)
    assert not is_correction("no, " + "x" * 3000)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Thanks, that works. Next time use pnpm instead of npm.", "use pnpm not npm"),
        ("looks good. but don't use npm, use pnpm", "use pnpm not npm"),
        ("The build is red. Find out why.\nDo not change the tests.", "never edit test"),
        ("can you fix the bug? it's in utils.py, not in main.py", "fact main.py utils.py"),
        ("I have a page that shows orders. It should be sorted by date.", None),
        ("Let me know when it is done. No rush.", None),
        ("Here is the log:\n- not that one\n- wrong", None),
    ],
)
def test_a_later_sentence_may_correct(text: str, rule: str | None) -> None:
    assert is_correction(text) is (rule is not None)
    if rule is not None:
        assert correction_rule(text) == rule


def share_alike(groups: list[list[str]]) -> float:
    keys = [[correction_rule(text) for text in group] for group in groups]
    pairs = [pair for group in keys for pair in combinations(group, 2)]
    return sum(one == other is not None for one, other in pairs) / len(pairs)


def test_a_rule_said_in_other_words_has_the_same_key() -> None:
    assert share_alike(rules_said.GROUPS) >= 0.95  # 0.84 at the first reading
    assert share_alike(rules_said.LATER_GROUPS) >= 0.9  # 0.78 at the first reading


def test_different_rules_have_different_keys() -> None:
    owners: dict[str | None, set[int]] = {}
    for number, group in enumerate(rules_said.GROUPS + rules_said.LATER_GROUPS):
        for text in group:
            owners.setdefault(correction_rule(text), set()).add(number)
    owners.pop(None, None)
    assert {key: found for key, found in owners.items() if len(found) > 1} == {}


@pytest.mark.parametrize("text", rules_said.NO_RULE)
def test_a_correction_without_a_rule_has_no_key(text: str) -> None:
    assert correction_rule(text) is None


def test_a_rule_that_leaves_the_rejected_unsaid_may_be_the_same() -> None:
    full, short, never = rule_of("use pnpm not npm"), rule_of("no, use pnpm"), rule_of("don't use npm")
    other = rule_of("use yarn not npm")
    assert full is not None
    assert short is not None
    assert never is not None
    assert other is not None
    assert same_rule(full, short)
    assert same_rule(full, never)
    assert not same_rule(short, never)
    assert not same_rule(full, other)


@pytest.mark.parametrize("text", rules_said.FACTS)
def test_knowledge_without_anything_to_do_is_a_fact(text: str) -> None:
    assert is_fact(text)


@pytest.mark.parametrize("text", rules_said.NOT_FACTS)
def test_an_instruction_is_no_fact(text: str) -> None:
    assert not is_fact(text)


WORDS = st.lists(
    st.sampled_from(
        [*" ".join(map(" ".join, rules_said.GROUPS)).split(), "no,", "not", "instead", "of", "we", "use", "\n", "："]
    ),
    max_size=40,
).map(" ".join)


@given(st.text(max_size=400) | WORDS)
def test_nothing_that_is_said_breaks_recognition(text: str) -> None:
    assert is_correction(text) in (True, False)
    assert is_fact(text) in (True, False)
    assert correction_rule(text) == correction_rule(text)
    rule = rule_of(text)
    assert rule is None or (isinstance(rule, Rule) and rule.key == correction_rule(text) and rule.what != ())


@given(st.text(max_size=300))
def test_nothing_that_is_run_breaks_recognition(text: str) -> None:
    assert recognise.test_runner(f"pytest {text}") in (None, *set(RUNNERS.values()), "pytest")
    recognise.test_runner(text)
    assert recognise.test_outcome(text) in (True, False, None)


def test_letters_of_any_script_in_a_half_command_crash_nothing() -> None:
    for letter in ("\U000ee563", "😀", "é", "語"):
        for text in (f"pytest 2\x08{{{letter}k", f"t2\x08{{{letter}{letter}", f'pytest "{letter}" $({letter} {{'):
            for extra in range(20):
                recognise.test_runner(text + "k" * extra)
