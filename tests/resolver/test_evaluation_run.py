"""A whole evaluation over a tiny resolver: figures, control, comparison, limits, tables, picture."""

from __future__ import annotations

import io
import json
import random
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from rich.console import Console

from wellworn.models.errors import InvalidInput, Unavailable
from wellworn.models.resolution import Context, Decision
from wellworn.models.skill import SkillManifest, Trust
from wellworn.resolver.evaluation.compare import compare
from wellworn.resolver.evaluation.limits import check_limits, parse_limits
from wellworn.resolver.evaluation.messages import Message
from wellworn.resolver.evaluation.outcome import EvaluatedMessage, Outcome
from wellworn.resolver.evaluation.plot import write_plot
from wellworn.resolver.evaluation.report import print_comparison, print_report
from wellworn.resolver.evaluation.runner import EvaluationRun, GroupIndex, control_cases, own_words, run_evaluation
from wellworn.resolver.evaluation.summary import out_of_scope_figures


@dataclass(frozen=True)
class Line:
    manifest: SkillManifest
    group: str | None = None


LIBRARY = [
    Line(SkillManifest(id="ship-it", aliases=["ship the release"]), "team"),
    Line(SkillManifest(id="tidy-up", description="clean the workspace"), "team"),
    Line(SkillManifest(id="write-notes", examples=["write the meeting notes"]), "other"),
]


class SharedWords:
    """Ranks skills by the words that they share with the message; knows nothing else."""

    def __init__(self, manifests: list[SkillManifest], confidence: float = 0.9) -> None:
        self.words = {m.id: set(f"{m.id.replace('-', ' ')} {own_words(m)}".split()) for m in manifests}
        self.confidence = confidence
        self.asked: list[tuple[str, bool]] = []

    def __call__(self, message: str, context: Context, explicit: bool) -> EvaluatedMessage:
        self.asked.append((message, explicit))
        said = set(message.split())
        shares = {skill_id: len(words & said) / max(len(said), 1) for skill_id, words in self.words.items()}
        ranked = sorted(((s, share * self.confidence) for s, share in shares.items()), key=lambda pair: -pair[1])
        decision = Decision.confirm if ranked[0][1] >= 0.6 else Decision.none
        return EvaluatedMessage(ranked, decision, latency_ms=2.0)


@contextmanager
def shared_words(group: str | None) -> Iterator[GroupIndex]:
    manifests = [line.manifest for line in LIBRARY if group is None or line.group == group]
    yield GroupIndex(SharedWords(manifests), utterances=len(manifests), seconds=0.5)


def outcome(
    expected: tuple[str, ...],
    *ranked: tuple[str, float],
    decision: Decision = Decision.confirm,
    not_skill: str | None = None,
) -> Outcome:
    return Outcome(Message("words", expected, not_skill), EvaluatedMessage(ranked, decision, 1.0))


def test_a_run_answers_in_the_documented_shape() -> None:
    messages = [
        Message("ship the release", ("ship-it",)),
        Message("clean the workspace", ("tidy-up", "ship-it")),
        Message("what a day", ()),
    ]
    answer = run_evaluation(messages, LIBRARY, shared_words).answer
    wire = json.loads(answer.model_dump_json(by_alias=True))
    assert set(wire["inScope"]) == {"n", "top1", "top3", "top5", "mrr", "ndcg10"}
    assert set(wire["outOfScope"]) == {"n", "auroc", "aurocAny", "rejectedAt60", "fprAt95"}
    assert set(wire["nearMisses"]) == {"n", "avoided"}
    assert set(wire["calibration"]) == {"ece", "brier", "bins"}
    assert len(wire["calibration"]["bins"]) == 15
    assert set(wire["decisions"]) == {"proceed", "confirm", "choose", "none"}
    assert set(wire["decisions"]["none"]) == {"n", "precision"}
    assert set(wire["latencyMs"]) == {"p50", "p95", "p99"}
    assert wire["indexing"] == {"utterances": 3, "seconds": 0.5}
    assert wire["inScope"]["n"] == 2
    assert wire["inScope"]["top1"] == 1.0
    assert wire["outOfScope"] == {"n": 1, "auroc": 1.0, "aurocAny": None, "rejectedAt60": 1.0, "fprAt95": 0.0}


def test_a_message_of_a_group_is_asked_of_that_group_only() -> None:
    run = run_evaluation([Message("ship the release", ("write-notes",), group="other")], LIBRARY, shared_words)
    assert [skill_id for skill_id, _ in run.outcomes[0].answer.ranked] == ["write-notes"]


def test_outcomes_keep_the_order_of_the_messages_across_groups() -> None:
    messages = [Message(str(i), (), group=("team", "other")[i % 2]) for i in range(6)]
    seen: list[int] = []
    run = run_evaluation(messages, LIBRARY, shared_words, progress=lambda done, total, group: seen.append(done))
    assert [each.message.text for each in run.outcomes] == list("012345")
    assert seen == [1, 2, 3, 4, 5, 6]
    assert run.answer.indexing.utterances == 3


def test_the_control_asks_each_skill_by_words_of_its_own() -> None:
    assert [(case.skill_id, case.text) for case in control_cases(LIBRARY, None)] == [
        ("ship-it", "ship the release"),
        ("tidy-up", "clean the workspace"),
        ("write-notes", "write the meeting notes"),
    ]
    assert own_words(SkillManifest(id="bare-id")) == "bare id"


def test_the_control_samples_a_large_library_with_the_seed() -> None:
    library = [Line(SkillManifest(id=f"s{i}")) for i in range(100)]
    cases = control_cases(library, None, seed=4)
    assert len(cases) == 20
    assert cases == control_cases(library, None, seed=4)


def test_the_control_leaves_out_skills_that_may_not_match() -> None:
    library = [Line(SkillManifest(id="on")), Line(SkillManifest(id="off", trust=Trust.disabled))]
    assert [case.skill_id for case in control_cases(library, None)] == ["on"]


def test_a_resolver_that_answers_with_other_ids_fails_the_control_instead_of_scoring_zero() -> None:
    def renamed(message: str, context: Context, explicit: bool) -> EvaluatedMessage:
        return EvaluatedMessage([("user/ship-it", 0.99)], Decision.confirm, 1.0)

    @contextmanager
    def open_renamed(group: str | None) -> Iterator[GroupIndex]:
        yield GroupIndex(renamed, 3, 0.0)

    with pytest.raises(Unavailable, match="0 of 3 skills came back"):
        run_evaluation([Message("ship it", ("ship-it",))], LIBRARY, open_renamed)


def test_a_call_is_ambient_unless_asked_otherwise() -> None:
    resolver = SharedWords([line.manifest for line in LIBRARY])

    @contextmanager
    def open_it(group: str | None) -> Iterator[GroupIndex]:
        yield GroupIndex(resolver, 3, 0.0)

    run_evaluation([Message("m1", ())], LIBRARY, open_it)
    run_evaluation([Message("m2", ())], LIBRARY, open_it, explicit=True)
    assert ("m1", False) in resolver.asked
    assert ("m2", True) in resolver.asked


def figures(*outcomes: Outcome) -> EvaluationRun:
    by_text = iter(outcomes)

    @contextmanager
    def replay(group: str | None) -> Iterator[GroupIndex]:
        control = SharedWords([line.manifest for line in LIBRARY])

        def resolve(message: str, context: Context, explicit: bool) -> EvaluatedMessage:
            return next(by_text).answer if message == "words" else control(message, context, explicit)

        yield GroupIndex(resolve, 3, 0.1)

    return run_evaluation([each.message for each in outcomes], LIBRARY, replay)


def test_a_near_miss_is_avoided_unless_that_very_skill_is_answered_at_060() -> None:
    answer = figures(
        outcome((), ("ship-it", 0.60), not_skill="ship-it"),
        outcome((), ("ship-it", 0.59), not_skill="ship-it"),
        outcome((), ("tidy-up", 0.95), not_skill="ship-it"),
        outcome((), not_skill="ship-it"),
    ).answer
    assert (answer.near_misses.n, answer.near_misses.avoided) == (4, 0.75)


def test_a_near_miss_that_leaves_open_what_is_meant_enters_no_other_figure() -> None:
    answer = figures(outcome((), ("tidy-up", 0.9), not_skill="ship-it")).answer
    assert (answer.in_scope.n, answer.out_of_scope.n) == (0, 0)
    assert answer.calibration.ece is None
    assert answer.confident.n == 0
    assert sum(each.n for each in answer.decisions.values()) == 0


def test_a_near_miss_that_says_what_is_meant_is_in_scope_as_well() -> None:
    answer = figures(outcome(("tidy-up",), ("tidy-up", 0.9), not_skill="ship-it")).answer
    assert (answer.in_scope.top1, answer.near_misses.avoided) == (1.0, 1.0)


def test_on_an_out_of_scope_message_no_confidence_is_right() -> None:
    answer = figures(outcome((), ("ship-it", 0.5))).answer
    assert answer.calibration.ece == pytest.approx(0.5)
    assert answer.calibration.brier == pytest.approx(0.25)


def test_any_of_the_expected_skills_is_right_and_the_first_of_them_counts() -> None:
    answer = figures(outcome(("ship-it", "tidy-up"), ("write-notes", 0.5), ("tidy-up", 0.3), ("ship-it", 0.1))).answer
    assert (answer.in_scope.top1, answer.in_scope.top3, answer.in_scope.mrr) == (0.0, 1.0, 0.5)


def test_decisions_are_right_by_what_they_put_forward() -> None:
    choose = EvaluatedMessage([("ship-it", 0.4), ("tidy-up", 0.35)], Decision.choose, 1.0, offered=2)
    answer = figures(
        outcome(("ship-it",), ("ship-it", 0.9), decision=Decision.proceed),
        outcome(("tidy-up",), ("ship-it", 0.7), decision=Decision.confirm),
        Outcome(Message("words", ("tidy-up",)), choose),
        outcome(("tidy-up",), ("tidy-up", 0.2), decision=Decision.none),
        outcome((), ("tidy-up", 0.2), decision=Decision.none),
        outcome(("tidy-up",), ("tidy-up", 0.7), decision=Decision.review),
    ).answer
    assert {decision.value: (each.n, each.precision) for decision, each in answer.decisions.items()} == {
        "proceed": (1, 1.0),
        "confirm": (1, 0.0),
        "choose": (1, 1.0),
        "none": (2, 0.5),
        "review": (1, 1.0),
    }


def test_confusions_come_most_frequent_first_with_an_example() -> None:
    wrong = outcome(("tidy-up",), ("ship-it", 0.7))
    answer = figures(outcome(("tidy-up",)), wrong, wrong, outcome((), ("ship-it", 0.6)), outcome((), ("ship-it", 0.5)))
    assert [(c.expected, c.answered, c.n, c.example) for c in answer.answer.confusions] == [
        ("tidy-up", "ship-it", 2, "words"),
        ("tidy-up", None, 1, "words"),
        (None, "ship-it", 1, "words"),
    ]


def test_confident_answers_are_judged_over_all_and_cover_those_in_scope() -> None:
    answer = figures(
        outcome(("ship-it",), ("ship-it", 0.85)),
        outcome(("ship-it",), ("ship-it", 0.84)),
        outcome((), ("ship-it", 0.9)),
    ).answer
    assert (answer.confident.n, answer.confident.precision, answer.confident.coverage) == (2, 0.5, 0.5)


@cache
def simulated(sureness: float, seed: int = 0, n: int = 300) -> EvaluationRun:
    """Return a run whose confidences are honest: of the messages in scope each is right as often as it says."""
    asked, answered, names = random.Random(seed), random.Random(seed + 1), [line.manifest.id for line in LIBRARY]
    outcomes = []
    for _ in range(n):
        meant, *others = asked.sample(names, 3)
        known = asked.random() < 0.8
        confidence = answered.betavariate(6 * sureness, 6 * (1 - sureness)) * (1.0 if known else 0.5)
        top = meant if answered.random() < confidence else others[0]
        outcomes.append(outcome((meant,) if known else (), (top, confidence), (others[1], (1 - confidence) / 2)))
    return figures(*outcomes)


def test_a_clear_difference_is_told_from_chance() -> None:
    differences = {each.figure: each for each in compare(simulated(0.5).outcomes, simulated(0.9).outcomes)}
    assert differences["top1"].significant
    assert differences["top1"].low > 0.2
    assert differences["top1"].low <= differences["top1"].difference <= differences["top1"].high
    assert differences["brier"].high < 0


def test_a_run_against_itself_differs_in_nothing() -> None:
    run = simulated(0.7)
    assert [
        (each.difference, each.low, each.high, each.significant) for each in compare(run.outcomes, run.outcomes)
    ] == [(0.0, 0.0, 0.0, False)] * 6


def test_near_misses_are_compared_too() -> None:
    fired = outcome((), ("ship-it", 0.9), not_skill="ship-it")
    quiet = outcome((), ("ship-it", 0.1), not_skill="ship-it")
    (difference,) = compare([fired] * 30, [quiet] * 20 + [fired] * 10)
    assert (difference.figure, difference.first) == ("avoided", 0.0)
    assert difference.second == pytest.approx(2 / 3)
    assert difference.significant


def test_runs_over_other_messages_cannot_be_compared() -> None:
    with pytest.raises(InvalidInput, match="same messages"):
        compare(simulated(0.7).outcomes, simulated(0.7, seed=5).outcomes)


def test_intervals_hold_their_figures() -> None:
    answer = simulated(0.7).answer
    for interval, value in (
        (answer.intervals.top1, answer.in_scope.top1),
        (answer.intervals.auroc, answer.out_of_scope.auroc),
    ):
        assert interval is not None
        assert value is not None
        assert interval[0] <= value <= interval[1]


def test_limits_fail_a_run_that_is_under_or_above_them() -> None:
    answer = figures(outcome(("ship-it",), ("ship-it", 0.9)), outcome(("ship-it",), ("tidy-up", 0.8))).answer
    assert check_limits(answer, parse_limits("top1=0.5, ece=0.99")) == []
    (under, above) = check_limits(answer, parse_limits("top1=0.9,ece=0.1"))
    assert under == "top1 is 0.5, under 0.9."
    assert above.startswith("ece is ")
    assert above.endswith("above 0.1.")


def test_a_limit_on_a_figure_without_messages_fails() -> None:
    answer = figures(outcome(("ship-it",), ("ship-it", 0.9))).answer
    (failure,) = check_limits(answer, parse_limits("auroc=0.5"))
    assert "cannot be judged" in failure


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "names no figure"),
        ("top2=0.9", "'top2'"),
        ("top1", "no number"),
        ("top1=high", "no number"),
        ("ece=nan", "no number"),
    ],
)
def test_limits_that_cannot_be_read_say_so(text: str, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        parse_limits(text)


def printed(run: EvaluationRun) -> str:
    out = io.StringIO()
    print_report(run.answer, Console(file=out, width=140))
    return out.getvalue()


def test_the_tables_show_figures_decisions_calibration_and_confusions() -> None:
    text = printed(simulated(0.6))
    for words in (
        "top 1",
        "AUROC",
        "ECE",
        "p50, p95, p99",
        "positive control",
        "Decisions",
        "right (#), said (|)",
        "Confused",
    ):
        assert words in text


def test_the_tables_leave_out_what_was_not_measured() -> None:
    text = printed(figures(outcome(("ship-it",), ("ship-it", 0.9))))
    for words in ("AUROC", "near misses", "Confused"):
        assert words not in text


def test_square_brackets_in_a_message_are_printed_and_not_taken_for_markup() -> None:
    run = figures(outcome(("tidy-up",), ("ship-it", 0.7)))
    confusion = run.answer.confusions[0].model_copy(update={"example": "fix [red] and [/nope]"})
    marked = run.answer.model_copy(update={"confusions": [confusion]})
    assert "fix [red] and [/nope]" in printed(EvaluationRun(marked, run.outcomes))


def test_a_comparison_says_what_is_better_worse_or_within_chance() -> None:
    out = io.StringIO()
    differences = compare(simulated(0.5).outcomes, simulated(0.9).outcomes)
    print_comparison(differences, Console(file=out, width=140), first="small", second="large")
    rows = {line.split()[1]: line for line in out.getvalue().splitlines() if line.startswith("│")}
    assert "better" in rows["top1"]
    assert "better" in rows["brier"]
    assert "large against small" in out.getvalue()


def size_of(png: Path) -> tuple[int, int]:
    data = png.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    return width, height


def test_the_picture_is_written(tmp_path: Path) -> None:
    write_plot(simulated(0.7), tmp_path / "out.png")
    assert size_of(tmp_path / "out.png") == (1620, 1200)


@pytest.mark.parametrize(
    "outcomes",
    [
        [outcome((), ("ship-it", 0.2), not_skill="ship-it")],
        [outcome(("ship-it",)), outcome((), ("ship-it", 0.9))],
    ],
)
def test_the_picture_can_be_drawn_of_very_little(tmp_path: Path, outcomes: list[Outcome]) -> None:
    write_plot(figures(*outcomes), tmp_path / "out.png")
    assert size_of(tmp_path / "out.png") == (1620, 1200)


def test_a_picture_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be written"):
        write_plot(figures(outcome(("ship-it",), ("ship-it", 0.9))), tmp_path / "no" / "out.png")


def test_a_missing_matplotlib_is_named_with_what_to_install(tmp_path: Path) -> None:
    hidden = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from pathlib import Path\n"
        "from wellworn.models.errors import Unavailable\n"
        "from wellworn.resolver.evaluation.plot import write_plot\n"
        "try:\n    write_plot(None, Path('out.png'))\n"
        "except Unavailable as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", hidden], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert "pip install 'wellworn[plot]'" in done.stdout


def test_the_confidence_in_any_skill_has_an_auroc_of_its_own() -> None:
    """Two skills that compete share the confidence, yet one of them is meant: rejecting must not suffer from that."""
    torn = EvaluatedMessage([("ship-it", 0.45), ("tidy-up", 0.44)], Decision.choose, 1.0, 2, any_confidence=0.93)
    unmeant = EvaluatedMessage([("ship-it", 0.5)], Decision.none, 1.0, any_confidence=0.55)
    outcomes = [Outcome(Message("ship or tidy", ("ship-it",)), torn), Outcome(Message("what a day", ()), unmeant)]
    figures = out_of_scope_figures(outcomes)
    assert (figures.auroc, figures.auroc_any) == (0.0, 1.0)
