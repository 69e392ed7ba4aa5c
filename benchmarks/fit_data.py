"""Labelled messages for the fit, made from public data: train splits, and SKILL.md files found in the wild.

Real skills come without messages. Many bodies hold example prompts ("User: ...", a quoted line of a list) or list when
the skill is for ("- Migrating a database without downtime"), and many descriptions quote what a user would say: those
become messages, and are cut out of the text that is indexed. Skills of the collections that are evaluated on are left
out altogether.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from benchmarks.accuracy_sets import Labelled, read_banking77, read_clinc150, read_rows, slug
from wellworn.index.lexical import words_of

_USER_LINE = re.compile(
    r"^[ \t]*(?:[-*>]|\d+\.)?[ \t]*\**(?:user|user request|user asks|user says|prompt|request|example prompt|human)\**"
    r"[ \t]*:\**[ \t]*[“\"]?(.{12,300}?)[”\"]?[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_QUOTED_LINE = re.compile(r"^[ \t]*(?:[-*>]|\d+\.)[ \t]*`?[\"“]([^\"“”\n]{12,300})[\"”].*$", re.MULTILINE)
_QUOTED = re.compile(r"[\"“]([^\"“”\n]{6,160})[\"”]")
_USES_HEADING = re.compile(
    r"^#{1,4}[ \t]+(?!.*\b(?:not|avoid|don.t)\b)"
    r".*\b(?:when to use|when this skill|use cases?|scenarios?|triggers?)\b.*$",
    re.IGNORECASE | re.MULTILINE,
)
_HEADING = re.compile(r"^#{1,4}[ \t]", re.MULTILINE)
_BULLET = re.compile(r"^[ \t]*(?:[-*]|\d+\.)[ \t]+(.{25,400})$\n?", re.MULTILINE)
_ADDRESSED = re.compile(
    r"^(?:use (?:this|it)\b[^,:]{0,20}?)?\b(?:when(?:ever)?|if|after|before|during)?[ ]?"
    r"(?:(?:the |a )?users?[ ](?:(?:explicitly )?(?:asks?|wants?|needs?|requests?|says?|mentions?|is|has)"
    r"(?:[ ](?:you|for help))?(?:[ ](?:to|for|about|with))?)[ ]|you(?:'re| are| need to| want to)[ ])?",
    re.IGNORECASE,
)
_TEMPLATE = re.compile(r"\[[^\]]{2,}\]|[{}]|https?:|…|\.\.\.")
PROMPTS_MAX = 6
USES_MAX = 8
USE_WORDS = (4, 45)
EVERYDAY = ("clinc150", "banking77")
SKILLS_A_COLLECTION = (90, 30)
"""At most so many with messages and without, so that no collection outweighs the others."""


@dataclass(frozen=True, slots=True)
class WildSkill:
    """A SKILL.md. quotes: phrases of its description.

    prompts: what its body gives as requests; uses: what it says it is for. Both are cut out of `body`.
    """

    collection: str
    id: str
    description: str
    body: str
    prompts: tuple[str, ...]
    quotes: tuple[str, ...]
    uses: tuple[str, ...] = ()


@dataclass(frozen=True)
class FitData:
    """Everything that may be fitted on.

    intents: data set -> label -> utterances. asked: the same of a split that messages are to be taken from, where there
    is one: those of the train split of CLINC150 are closer to its other utterances than a stranger's would be.
    chatter: messages that mean nothing to any skill.
    """

    intents: Mapping[str, Mapping[str, Sequence[str]]]
    asked: Mapping[str, Mapping[str, Sequence[str]]]
    chatter: Sequence[str]
    collections: Mapping[str, Sequence[WildSkill]]
    sources: Sequence[str] = field(default=())

    @cached_property
    def everyday_by_word(self) -> Mapping[str, Sequence[str]]:
        """Word -> messages with it, of the sets about everyday matters: none asks for a skill that an agent has."""
        found: dict[str, list[str]] = defaultdict(list)
        for text in (text for name in EVERYDAY for texts in self.intents[name].values() for text in texts):
            for word in dict.fromkeys(words_of(text)):
                found[word].append(text)
        return found


def read_fit_data(data: Path) -> FitData:
    """Read train splits and wild skills from the folder of public data sets."""
    clinc = read_clinc150(data)
    intents = {
        "clinc150": _by_label(clinc["train"]),
        "banking77": _by_label(read_banking77(data, "train")),
        "tldr": _tldr(data / "tldr" / "tldr-en.jsonl.gz"),
    }
    evaluated = {str(row["group"]) for row in read_rows(data / "skill_messages" / "library.jsonl")}
    return FitData(
        intents=intents,
        asked={"clinc150": _by_label(clinc["val"])},
        chatter=[text for split in ("oos_train", "oos_val") for text, _ in clinc[split]],
        collections=_collections(data / "skills" / "skills-md.jsonl.gz", evaluated),
        sources=(
            "clinc150 train, val, oos_train, oos_val", "banking77 train", "tldr-en",
            f"skills-md without {', '.join(sorted(evaluated))}",
        ),
    )  # fmt: skip


def _by_label(rows: Sequence[Labelled]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for text, label in rows:
        found[slug(label)].append(text)
    return dict(sorted(found.items()))


def _read_gzip(path: Path) -> list[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def _tldr(path: Path) -> dict[str, list[str]]:
    """Commands and what their examples say they do: many short texts about many more subjects than banking."""
    found: dict[str, list[str]] = defaultdict(list)
    for row in _read_gzip(path):
        text = re.sub(r"[`\[\]{}]", "", row["nl"]).strip()
        if 15 < len(text) < 160 and slug(row["tool"]):
            found[slug(row["tool"])[:64].strip("-")].append(text)
    return {tool: texts for tool, texts in sorted(found.items()) if len(texts) >= 6}


def _collections(path: Path, without: set[str]) -> dict[str, list[WildSkill]]:
    found: dict[str, dict[str, WildSkill]] = defaultdict(dict)
    for row in _read_gzip(path):
        skill_id = slug(row["name"])[:64].strip("-")
        if skill_id and row["repo"] not in without:
            found[row["repo"]].setdefault(skill_id, _wild(row, skill_id))
    return {repo: _balanced([*skills.values()]) for repo, skills in sorted(found.items())}


def _wild(row: Mapping[str, str], skill_id: str) -> WildSkill:
    body = row["body"]
    lines = (text.strip() for text in (*_USER_LINE.findall(body), *_QUOTED_LINE.findall(body)))
    prompts = [text for text in dict.fromkeys(lines) if len(text.split()) >= 3 and not _TEMPLATE.search(text)]
    quotes = [text.strip() for text in dict.fromkeys(_QUOTED.findall(row["description"])) if len(text.split()) >= 2]
    rest, uses = _without_uses(_QUOTED_LINE.sub("", _USER_LINE.sub("", body)))
    return WildSkill(row["repo"], skill_id, row["description"], rest, tuple(prompts), tuple(quotes), uses)


def _without_uses(body: str) -> tuple[str, tuple[str, ...]]:
    """Return the body without the lists of what the skill is for, and their entries as a user would put them."""
    kept, uses, at = list[str](), list[str](), 0
    for heading in _USES_HEADING.finditer(body):
        if heading.start() < at:
            continue
        following = _HEADING.search(body, heading.end())
        end = following.start() if following else len(body)
        section = body[heading.end() : end]
        uses += [as_said(text) for text in _BULLET.findall(section)]
        kept += [body[at : heading.end()], _BULLET.sub("", section)]
        at = end
    low, high = USE_WORDS
    fit = [text for text in dict.fromkeys(uses) if low <= len(text.split()) <= high and not _TEMPLATE.search(text)]
    return "".join([*kept, body[at:]]), tuple(fit[:USES_MAX])


def as_said(use: str) -> str:
    """Return "- **Drift**: when the user asks to find config drift" as "find config drift"."""
    text = re.sub(r"^\[[ x]\]\s*|[*`_“”\"]", "", use).strip()
    text = re.sub(r"^[^:.]{3,40}:\s+(?=\S+\s\S+\s\S+)", "", text)
    said = _ADDRESSED.sub("", text).strip(" .;,")
    return said[:1].lower() + said[1:] if said[1:2].islower() else said


def _balanced(skills: Sequence[WildSkill]) -> list[WildSkill]:
    chance = random.Random(0)
    telling = [skill for skill in skills if skill.prompts or skill.quotes or skill.uses]
    silent = [skill for skill in skills if not (skill.prompts or skill.quotes or skill.uses)]
    chance.shuffle(telling)
    chance.shuffle(silent)
    return [*telling[: SKILLS_A_COLLECTION[0]], *silent[: SKILLS_A_COLLECTION[1]]]


def without_quote(description: str, quote: str) -> str:
    """Return the description with a quoted phrase cut out."""
    return re.sub(r"\s*(?:,|or|and)?\s*[\"“]" + re.escape(quote) + r"[\"”]", "", description)
