import string
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from wellworn.lifecycle.shell.command import Place
from wellworn.lifecycle.shell.parse import LONGEST, Command, Reader, is_plain, parse_line


def programs(text: str) -> list[str]:
    return [one.program for one in parse_line(text).commands]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("git push", ["git"]),
        ("a && b || c; d & e", ["a", "b", "c", "d", "e"]),
        ("a | b |& c", ["a", "b", "c"]),
        ("(a; b)", ["a", "b"]),
        ("{ a; b; }", ["a", "b"]),
        ("a $(b) `c`", ["b", "c", "a"]),
        ("x=$(a) b", ["a", "b"]),
        ("diff <(a) <(b)", ["a", "b", "diff"]),
        ("if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]),
        ("for f in $(a); do b $f; done", ["a", "b"]),
        ("while a; do b; done < c", ["a", "b"]),
        ("until a; do b; done", ["a", "b"]),
        ("case $x in a) b;; *) c;; esac", ["b", "c"]),
        ("f() { a; }; b", ["a", "b"]),
        ("! a", ["a"]),
        ("a # b; c", ["a"]),
        ("a \\\n  -x y && b", ["a", "b"]),
        ("a 'b; c' \"d && e\"", ["a"]),
        ("cat <<EOF\nrm -rf /\nEOF", ["cat"]),
        ("cat <<EOF\n$(a)\nEOF", ["a", "cat"]),
        ("> f", [":"]),
        ("export A=$(b)", ["b", "export"]),
        ("[ -f x ] && a", ["[", "a"]),
        ("[[ -n $(a) ]] || b", ["a", "[[", "b"]),
        ("git commit -m \"$(cat <<'EOF'\nit's (done)\nEOF\n)\"", ["cat", "git"]),
    ],
)
def test_every_command_of_a_line_is_found_in_order(line: str, expected: list[str]) -> None:
    found = parse_line(line)
    assert [one.program for one in found.commands if one.program] == expected
    assert found.understood


@pytest.mark.parametrize(
    "line",
    [
        "sudo w",
        "sudo -u bob -E A=1 w",
        "env A=1 B=2 w",
        "env -i -u C w",
        "env -S 'w'",
        "command w",
        "exec w",
        "nohup w &",
        "nice -n 10 w",
        "ionice -c 2 -n 7 w",
        "timeout -k 5 60 w",
        "timeout --signal=KILL 5m w",
        "time w",
        "stdbuf -oL w",
        "x | xargs -n 1 -I {} w {}",
        "watch -n 2 'w'",
        "bash -c 'w'",
        "sh -lc w",
        '/bin/zsh -exc "w"',
        "bash <<< w",
        "bash <<'EOF'\nw\nEOF",
        "cat <<EOF | sudo bash -s\nw\nEOF",
        "eval w",
        "trap 'w' EXIT",
        "su - bob -c w",
        "docker exec -it c w",
        "docker compose -f a.yml exec -T c w",
        "docker-compose run --rm c w",
        "kubectl -n x exec -it p -- w",
        "npx -y w@latest",
        "pnpm dlx w",
        "pnpm exec w",
        "yarn dlx w",
        "bunx w",
        "npm exec -- w",
        "uvx --from x w",
        "uv run --with x w",
        "uv tool run w",
        "poetry run w",
        "pipenv run w",
        "hatch run w",
        "rye run w",
        "pipx run w",
        "bundle exec w",
        "nix develop .#x -c w",
        "nix-shell -p x --run w",
        "direnv exec . w",
        "conda run -n env w",
        "aws-vault exec dev -- w",
        "doppler run -- w",
        "find . -name x -exec w {} \\;",
        "find . -execdir w {} +",
        "fd x -x w",
        "parallel w ::: a b",
        "sudo timeout 5 bash -c 'cd x && w'",
        "./w",
        "/usr/local/bin/w",
        "'w'",
        "w.exe",
    ],
)
def test_what_a_wrapper_runs_is_found(line: str) -> None:
    assert "w" in programs(line)
    assert parse_line(line).understood


def test_a_command_keeps_its_words_as_they_are_written() -> None:
    (found,) = parse_line("A=1 B=\"x y\" .venv/bin/pytest -k 'a b' 2>&1 > log").commands
    assert found == Command("pytest", ("-k", "'a b'"), ("A=1", 'B="x y"'), ("2>&1", "> log"), name=".venv/bin/pytest")


def test_what_runs_on_another_machine_is_marked() -> None:
    line = parse_line("ssh -p 22 me@host 'cd /srv && ls' && ls")
    assert [(one.program, one.remote) for one in line.commands] == [
        ("ssh", False),
        ("cd", True),
        ("ls", True),
        ("ls", False),
    ]


@pytest.mark.parametrize("line", ["ssh host", "sudo -i", "xargs", "npx", "env", "command -v git", "timeout 5"])
def test_a_wrapper_with_nothing_to_run_is_the_command_itself(line: str) -> None:
    assert programs(line) == [line.split(maxsplit=1)[0]]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("$CMD x", "dynamic"),
        ('"$A/b" x', "dynamic"),
        ("$(a) b", "dynamic"),
        ('eval "$x"', "dynamic"),
        ('bash -c "$x"', "dynamic"),
        ('bash -c "ls $x"', "dynamic"),
        ("a 'b", "syntax"),
        ("if a; then", "syntax"),
        ("a && && b )", "syntax"),
        ("Please fix the tests and run them", "prose"),
        ("make sure that the tests pass", "prose"),
        ("I think we should rename it", "prose"),
        ("Get-ChildItem -Path C:\\x", "prose"),
        ("Remove-Item x | Out-Null", "prose"),
        ("a" * (LONGEST + 1), "too long"),
    ],
)
def test_what_is_not_understood_says_why(line: str, why: str) -> None:
    found = parse_line(line)
    assert (found.understood, found.why) == (False, why)


@pytest.mark.parametrize(
    "line",
    [
        "echo this is the end of it",
        "git commit -m x",
        "make all",
        "sudo ufw allow from any to any port 22",
        "say to the",
    ],
)
def test_commands_with_everyday_words_are_no_prose(line: str) -> None:
    assert parse_line(line).understood


@pytest.mark.parametrize(
    "text",
    [
        "(" * 50_000,
        "$(" * 30_000,
        "`" * 50_001,
        "sudo " * 19_000 + "x",
        "bash -c " * 9_000 + "x",
        "{ " * 30_000,
        "a | " * 20_000 + "b",
        "a;" * 40_000,
        "if a; then " * 8_000,
        '"' * 99_999,
        "<<E " * 20_000,
        "<(" * 40_000,
        "\x00\ud800" * 20_000,
        "A=1 " * 20_000,
        "'" + "x" * 99_000,
        "find . -exec " * 7_000,
    ],
)
def test_hostile_text_is_read_within_bounds(text: str) -> None:
    assert isinstance(parse_line(text).understood, bool)


_WORDS = st.text(string.ascii_letters + string.digits + "_./=:@,+-", min_size=1, max_size=6)
_KNOWN = st.sampled_from(
    ["sudo", "npx", "env", "git", "-n", "--", "bash", "-c", "time", "if", "do", "A=1", "xargs", "."]
)


@settings(max_examples=400, deadline=None)
@given(st.lists(_WORDS | _KNOWN, min_size=1, max_size=6).map(" ".join))
@example("test a = b")
@example("a ==b")
@example("0 1")
@example("- -- a")
@example("a +=b")
@example("a 1=2 b")
def test_the_fast_way_answers_as_the_grammar_does(line: str) -> None:
    if not is_plain(line):
        return
    by_grammar = Reader()
    by_grammar.read(line, Place(grammar=True))
    assert parse_line(line) == by_grammar.result()


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60) | st.text("ab'\"\\$(){}<>|&;`\n #!=-", max_size=40))
def test_any_text_is_read(text: str) -> None:
    line = parse_line(text)
    assert line.understood == (not line.why)


def test_many_threads_read_at_once() -> None:
    lines = [f"a{n} && b{n} | c{n}; d $(e{n} 'x y')" for n in range(400)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(programs, lines))
    assert found == [[f"a{n}", f"b{n}", f"c{n}", f"e{n}", "d"] for n in range(400)]
