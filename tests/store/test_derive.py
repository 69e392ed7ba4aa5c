"""What a description and a body say between the lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.store.derive import derive_fields, first_paragraph, steps_of, triggers_and_negatives
from wellworn.store.phrases import MAX_NEGATIVES, MAX_TRIGGERS


@pytest.mark.parametrize(
    ("description", "triggers", "negatives"),
    [
        ("Builds it. Use when shipping a release.", ["shipping a release"], []),
        ("Use this skill when the user asks to draw a chart.", ["draw a chart"], []),
        ("Use whenever a test fails in CI.", ["a test fails in CI"], []),
        ("Use for tracing slow queries, reading query plans, or adding indexes.",
         ["tracing slow queries", "reading query plans", "adding indexes"], []),
        ("Trigger when the build breaks.", ["the build breaks"], []),
        ("Triggers on 'ship it', 'cut a release'.", ["ship it", "cut a release"], []),
        ('Trigger with phrases like "wash the car", or "wax the car".', ["wash the car", "wax the car"], []),
        ("Use when the user says “roll back”, “undo the deploy”.", ["roll back", "undo the deploy"], []),
        ("Triggers: web performance, bundle size, slow site.", ["web performance", "bundle size", "slow site"], []),
        ("WHEN: create a queue, drain a queue. DO NOT USE FOR: topics, event grids (use event-grid).",
         ["create a queue", "drain a queue"], ["event grids"]),
        ("When the user wants to plan a trip or book a hotel.", ["plan a trip or book a hotel"], []),
        ("Reads mail. Should be used when Claude needs to search the inbox.", ["Claude needs to search the inbox"], []),
        ("Plans. Do not use for legal advice.", [], ["legal advice"]),
        ("Plans. Don't use this skill when the plan is final.", [], ["the plan is final"]),
        ("Plans. NOT for billing questions, tax forms or refund requests.", [],
         ["billing questions", "tax forms", "refund requests"]),
        ("Use when writing tests, not for running them in CI.", ["writing tests"], ["running them in CI"]),
        ("Never use for production data — use the vault instead.", [], ["production data"]),
        ("Lists parts (e.g. screws). Use when counting parts, e.g. before an order.",
         ["counting parts", "before an order"], []),
        ("Asks whether or not when to go.", [], []),
        ("Uses Redis to cache. The user is happy.", [], []),
        ("Don't panic. Not everything is bad.", [], []),
        ("当用户需要修复评审意见时使用。不适用于新建分支。", ["修复评审意见"], ["新建分支"]),
        ("Use when: 「製造計画を作成」「人員を見積もり」", ["製造計画を作成", "人員を見積もり"], []),
        ("It's what users' teams need. Use when the team's plan isn't done.", ["the team's plan isn't done"], []),
        ("", [], []),
    ],
)  # fmt: skip
def test_a_description_tells_when_it_is_meant_and_when_not(
    description: str, triggers: list[str], negatives: list[str]
) -> None:
    assert triggers_and_negatives(description) == (triggers, negatives)


def test_a_lone_common_word_is_no_trigger_but_a_name_is() -> None:
    assert triggers_and_negatives("Use when the user mentions status, Kubernetes, or queue.")[0] == ["Kubernetes"]


def test_repeats_that_differ_in_case_count_once() -> None:
    assert triggers_and_negatives('Use when: "Ship It". Triggers on "ship it".')[0] == ["Ship It"]


def test_when_to_use_adds_to_what_the_description_says() -> None:
    fields = derive_fields("a", "a", "Use when shipping a build.", "Use if the tests are green. Not for hot fixes")
    assert fields["triggers"] == ["shipping a build", "the tests are green"]
    assert fields["negatives"] == ["hot fixes"]


def test_a_plain_when_to_use_is_a_trigger() -> None:
    assert derive_fields("a", "a", "Ships.", "the tests are green")["triggers"] == ["the tests are green"]


@given(st.text(max_size=400))
def test_any_text_gives_bounded_phrases_that_stand_in_it(text: str) -> None:
    triggers, negatives = triggers_and_negatives(text)
    assert len(triggers) <= MAX_TRIGGERS
    assert len(negatives) <= MAX_NEGATIVES
    assert all(phrase.strip() for phrase in (*triggers, *negatives))


CUES = st.sampled_from(
    ["Use when ", "do not use for ", "the user asks to ", '"', "'", ", ", " or ", ". ", "ship it", "(use x)", "—", "\n"]
)


@given(st.lists(CUES, max_size=40).map("".join))
def test_cues_in_any_order_give_short_phrases_without_their_cue(text: str) -> None:
    triggers, negatives = triggers_and_negatives(text)
    assert all(len(phrase) <= 200 for phrase in (*triggers, *negatives))


@pytest.mark.parametrize(
    "text", ["use when " * 20_000, '"' * 50_000, "a" * 100_000, "(" * 50_000, "do not use " * 20_000, ", or " * 30_000]
)
def test_hostile_text_does_not_hang(text: str) -> None:
    triggers_and_negatives(text)
    steps_of(f"## Steps\n- {text}\n")
    first_paragraph(text)


@pytest.mark.parametrize(
    ("body", "steps"),
    [
        (
            "## Steps\n1. Run **tests**\n2. Tag `v1`\n   - detail\n3. See [docs](x)\n",
            ("Run tests", "Tag v1", "See docs"),
        ),
        ("# X\n\n## Workflow:\n\n- one\n- two\n  - deep\n\n## Notes\n- no\n", ("one", "two")),
        ("## Instructions\nIntro.\n\n### Step 1: Plan\ntext\n- x\n### Step 2 - Build\n", ("Plan", "Build")),
        ("## The process\n* a\n+ b\n", ("a", "b")),
        ("## 🔧 Steps to follow\n1) a\n2) b\n", ("a", "b")),
        ("## Notes\n1. no\n", ()),
        ("## Steps\n\nprose only\n\n## Workflow\n1. yes\n", ("yes",)),
        ("```\n## Steps\n1. no\n```\n", ()),
        ("## Steps\n```\n1. no\n```\n1. yes\n", ("yes",)),
        ("# A\n## Step 1: Look\n## Step 2: Leap\n", ("Look", "Leap")),
        ("## Steps\n- [ ] check\n- [x] done\n", ("check", "done")),
        ("## How image processing libraries process steps in detail today\n1. no\n", ()),
        ("", ()),
    ],
)
def test_steps_are_the_items_of_the_steps_section(body: str, steps: tuple[str, ...]) -> None:
    assert steps_of(body) == steps


def test_at_most_thirty_steps_are_kept() -> None:
    assert len(steps_of("## Steps\n" + "\n".join(f"{n}. step {n}" for n in range(1, 99)))) == 30
