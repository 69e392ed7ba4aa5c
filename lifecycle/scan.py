"""What in a skill's text could harm who follows it: fixed rules, no model, the same answer every time.

The text is read as a model reads it: hidden characters taken out, look-alike letters made plain. A sentence that
plainly forbids or warns of such a thing ("never run `curl x | sh`") makes a high finding medium: it is shown, but does
not block. Whatever is high blocks accept and import until a person allows it by its name.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from wellworn.lifecycle.scan_hidden import hidden_in, shown, visible
from wellworn.lifecycle.scan_rules import FORBIDS, KNOWN_INSTALLERS, RULES, Rule
from wellworn.models.proposal import ScanFinding
from wellworn.models.recipe import AdvisorStep, ForgeRecipe, GateStep, ShellStep
from wellworn.models.skill import Risk, SkillManifest
from wellworn.store.redact import redact

LONGEST = 2_000_000
"""Characters of one file that are read; what is longer is told as not scanned."""
_PER_RULE = 5
"""Findings of one rule in one file; more of the same say nothing new."""
_EXCERPT = 160
_BEFORE = 120
_BEHIND = 40


def scan_text(text: str, where: str) -> list[ScanFinding]:
    """Return what is found in one text, by line. where: the file's name, or what else people should look at."""
    read = text[:LONGEST]
    found = [*_hidden(read, where), *_by_rules(visible(read), where)]
    found += [*_comments(visible(read), where), *_blobs(read, where), *_secrets(read, where)]
    if len(text) > LONGEST:
        found.append(_finding("not-scanned", Risk.high, "only its beginning was read: it is too long", where, None, ""))
    return sorted(_limited(found), key=lambda one: (one.line or 0, one.name))


def scan_skill(
    manifest: SkillManifest, body: str, recipe: ForgeRecipe | None, other_files: Mapping[str, str]
) -> list[ScanFinding]:
    """Return what is found in a skill: its front matter, its text, its recipe and the files beside it (name: text)."""
    found = scan_text("\n".join(_texts(manifest.model_dump(mode="json"))), "front matter")
    found += scan_text(body, "SKILL.md")
    if recipe is not None:
        found += [one for where, text in _recipe_texts(recipe) for one in scan_text(text, where)]
    for name in sorted(other_files):
        found += scan_text(other_files[name], name)
    return found


def blocking(findings: Iterable[ScanFinding], overrides: Iterable[str]) -> list[ScanFinding]:
    """Return the high findings that no person has allowed by name."""
    allowed = set(overrides)
    return [one for one in findings if one.severity == Risk.high and one.name not in allowed]


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _texts(name)
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _recipe_texts(recipe: ForgeRecipe) -> Iterator[tuple[str, str]]:
    yield "recipe", "\n".join([recipe.description, *(str(one.model_dump(mode="json")) for one in recipe.inputs)])
    for phase in recipe.phases:
        for step in phase.steps:
            where = f"recipe step {step.id}"
            if isinstance(step, ShellStep):
                yield where, step.command
            elif isinstance(step, AdvisorStep):
                yield where, step.prompt
            elif isinstance(step, GateStep):
                yield where, step.requires


def _finding(  # noqa: PLR0917 - the fields in their order
    name: str, severity: Risk, message: str, where: str, line: int | None, excerpt: str
) -> ScanFinding:
    return ScanFinding(name=name, severity=severity, message=message, where=where, line=line, excerpt=excerpt)


def _limited(findings: Sequence[ScanFinding]) -> Iterator[ScanFinding]:
    """The worst first of each name, and no line twice for one name."""
    counts: dict[str, int] = {}
    lines: set[tuple[str, int | None]] = set()
    order = {Risk.high: 0, Risk.medium: 1, Risk.low: 2}
    for one in sorted(findings, key=lambda one: order[one.severity]):
        if (one.name, one.line) in lines or counts.get(one.name, 0) >= _PER_RULE:
            continue
        lines.add((one.name, one.line))
        counts[one.name] = counts.get(one.name, 0) + 1
        yield one


def _excerpt(text: str, start: int, end: int) -> str:
    """Return the found part with what stands about it on its line: redacted, hidden characters shown, cut."""
    first = max(text.rfind("\n", 0, start) + 1, start - _BEFORE // 2)
    last = text.find("\n", start)
    last = min(len(text) if last < 0 else last, max(end, start) + _BEHIND)
    line = shown(redact(text[first : max(last, first)])).strip()
    return line if len(line) <= _EXCERPT else line[: _EXCERPT - 1] + "…"


def _line_of(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _hidden(text: str, where: str) -> Iterator[ScanFinding]:
    lines = text.split("\n")
    for one in hidden_in(text):
        line = lines[one.line - 1]
        excerpt = _excerpt(line, one.start, one.start + 8)
        yield _finding("hidden-unicode", one.severity, f"hidden characters: {one.kind}", where, one.line, excerpt)


def _by_rules(text: str, where: str) -> Iterator[ScanFinding]:
    lowered = text.lower()
    for rule in RULES:
        if not any(need in lowered for need in rule.needs):
            continue
        for found in rule.pattern.finditer(text):
            severity = _severity(rule, text, found)
            excerpt = _excerpt(text, found.start(), found.end())
            yield _finding(rule.name, severity, rule.message, where, _line_of(text, found.start()), excerpt)


def _severity(rule: Rule, text: str, found: re.Match[str]) -> Risk:
    if rule.severity != Risk.high:
        return rule.severity
    if rule.name == "download-and-run":
        line = text[found.start() : found.end()] + text[found.end() : found.end() + _URL_BEHIND].partition("\n")[0]
        if _from_known_installers(line) or not _NAMES_SOMETHING.search(line):
            return Risk.medium
    soft = forbidden(text, found.start(), found.end()) or _is_quoted_example(text, found)
    return Risk.medium if soft else Risk.high


_URL_BEHIND = 200
_ADDRESS = re.compile(r"(?:\w+://|(?<![\w./@-])(?=[\w-]+(?:\.[\w-]+)*\.[a-z]{2,6}/))[^\s\"'`)|]+")
_NAMES_SOMETHING = re.compile(r"://|\$|\w\.\w")


def _from_known_installers(text: str) -> bool:
    addresses = _ADDRESS.findall(text)
    return bool(addresses) and all(KNOWN_INSTALLERS.match(address) for address in addresses)


_SECURITY_TALK = re.compile(
    r"injection|jailbreak|guardrail|attack|malicious|adversar|exfiltrat|threat|red[ -]team|suspicious|pentest|exploit",
    re.I,
)
_TALK_BEFORE = 1_500
_QUOTES = "\"'`“”‘’«»"


def _is_quoted_example(text: str, found: re.Match[str]) -> bool:
    """Whether what was found stands in quotes in a text about attacks: an example, not an order."""
    opening = text[max(0, found.start() - _BEFORE) : found.start()].rpartition("\n")[2]
    closing = text[found.end() : found.end() + _BEFORE].partition("\n")[0]
    quoted = sum(opening.count(mark) for mark in _QUOTES) % 2 == 1 and any(mark in closing for mark in _QUOTES)
    return quoted and _SECURITY_TALK.search(text, max(0, found.start() - _TALK_BEFORE), found.start()) is not None


_SENTENCE_END = re.compile(r"[.!?;](?:\s|$)|\n\s*\n|\n\s*(?:[-*+]|\d+[.)])\s|\|\s|```")


def forbidden(text: str, start: int, end: int) -> bool:
    """Whether the sentence in which something stands warns of it or forbids it."""
    before = text[max(0, start - _BEFORE) : start]
    ends = [one.end() for one in _SENTENCE_END.finditer(before)]
    sentence = before[ends[-1] :] if ends else before
    behind = text[end : end + _BEHIND].partition("\n")[0]
    return FORBIDS.search(sentence) is not None or _WARNS_BEHIND.search(behind) is not None


_WARNS_BEHIND = re.compile(
    r"(?:❌|🚫|⛔|#\s*(?:bad|never|don't|wrong|dangerous)|\((?:bad|never|dangerous|wrong)\))", re.I
)
_COMMENT = re.compile(
    r"<!--(.{0,4000}?)(?:-->|\Z)|^\[(?://|comment)\]:\s*#\s*[(\"'](.{0,1000}?)[)\"']\s*$", re.S | re.M
)
_ADDRESSED = re.compile(
    r"\b(?:AI|agents?|assistants?|models?|LLMs?|claude|codex|gpt|copilot|you)\b[^\n]{0,80}\b(?:must|should|always|run|execute|fetch"
    r"|send|install|do not|don't|never|ignore|before|shall|need to|instead)\b",
    re.I,
)
_ACTS = re.compile(
    r"\b(?:run|execute|fetch|curl|wget|send|upload|download|eval|install)\b[^\n]{0,60}(?:https?://|\||`|\$\()", re.I
)


def _comments(text: str, where: str) -> Iterator[ScanFinding]:
    """Comments that a person reading the rendered text does not see, but that speak to an agent."""
    for found in _COMMENT.finditer(text):
        inner = found.group(1) or found.group(2) or ""
        addressed, acts = _ADDRESSED.search(inner), _ACTS.search(inner)
        if addressed or acts:
            severity = Risk.high if addressed and acts else Risk.medium
            line = _line_of(text, found.start())
            excerpt = _excerpt(text, found.start(), found.end())
            yield _finding("hidden-instructions", severity, "a comment speaks to the agent", where, line, excerpt)


_BASE64 = re.compile(r"(?<![A-Za-z0-9+/=_-])(?:[A-Za-z0-9+/]{40,}(?:\\?\n[ \t]*)?){1,2000}={0,2}")
_HEX = re.compile(r"(?<![A-Za-z0-9])(?:(?:\\x)?[0-9a-fA-F]{2}){128,}(?![A-Za-z0-9])")
_SPEAKS = re.compile(
    rb"(?:/bin/|bash|sh -c|curl |wget |https?://|import |eval|exec|ignore .{0,30}instructions|powershell|rm -rf)", re.I
)
_LONG_BLOB = 400
_DATA_ADDRESS = re.compile(r"data:[\w/+.-]+;base64,$|sha(?:256|384|512)-$|integrity[\"']?[:=]\s*[\"']?$", re.I)


def _blobs(text: str, where: str) -> Iterator[ScanFinding]:
    """Long encoded texts; what decodes to commands is worse."""
    for found in _BASE64.finditer(text):
        if _DATA_ADDRESS.search(text[max(0, found.start() - 60) : found.start()]):
            continue
        severity = _blob_severity(found.group())
        if severity is not None:
            line, excerpt = _line_of(text, found.start()), _excerpt(text, found.start(), found.start() + 60)
            yield _finding("encoded-blob", severity, "a long encoded text", where, line, excerpt)
    for found in _HEX.finditer(text):
        line, excerpt = _line_of(text, found.start()), _excerpt(text, found.start(), found.start() + 60)
        yield _finding("encoded-blob", Risk.medium, "a long encoded text", where, line, excerpt)


def _blob_severity(blob: str) -> Risk | None:
    plain = re.sub(r"[\s\\]", "", blob)
    if not (re.search(r"[A-Z]", plain) and re.search(r"[a-z]", plain) and re.search(r"[0-9+=]", plain)):
        return None
    try:
        decoded = base64.b64decode(plain + "=" * (-len(plain) % 4))
    except (binascii.Error, ValueError):
        return Risk.medium if len(plain) >= _LONG_BLOB else None
    letters = sum(32 <= byte < 127 or byte in {9, 10, 13} for byte in decoded)
    if letters * 20 >= len(decoded) * 19 and _SPEAKS.search(decoded):
        return Risk.high
    return Risk.medium if len(plain) >= _LONG_BLOB else None


_MARK = re.compile(r"\[redacted (?!e-?mail)[^\]\n]{1,40}\]")


_BY_NAME_ONLY = "[redacted secret]"
"""Taken for a secret because of the name before it; in a skill's text it is mostly an example."""


def _secrets(text: str, where: str) -> Iterator[ScanFinding]:
    """Secrets written into the text, as far as redaction knows their shapes."""
    for number, line in enumerate(redact(text).split("\n"), 1):
        found = _MARK.search(line)
        if found and found.group() not in text:
            excerpt = _excerpt(line, found.start(), found.end())
            severity = Risk.low if found.group() == _BY_NAME_ONLY else Risk.medium
            yield _finding("hard-coded-secret", severity, "it seems to hold a secret", where, number, excerpt)
