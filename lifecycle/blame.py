"""Whether a failure was the environment's: such a one is recorded, and neither blames nor teaches anybody. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wellworn.models.task import TaskStep

_EXIT_CODES = {124: "time-out", 126: "permission", 127: "command not found"}
_SIGNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (cause, re.compile(pattern, re.IGNORECASE | re.MULTILINE))
    for cause, pattern in (
        (
            "command not found",
            r"\bcommand not found\b|\bis not recognized as an internal or external command\b"
            r"|\bexecutable (?:file )?not found\b|\bno such (?:command|executable)\b"
            r"|(?:\b\w*sh:(?: (?:line )?\d+:)?|: line \d+:) \S+: not found\b",
        ),
        (
            "refused by a gate",
            r"\b(?:refused|denied|blocked|stopped) (?:by|at) (?:a|the) (?:person|user|reviewer|gate|approval)"
            r"|\bapproval (?:was )?(?:denied|refused|declined|expired|not given)|\b(?:was|is|were) not approved\b"
            r"|\bgate (?:has )?(?:denied|refused|blocked|stopped)\b"
            r"|\b(?:user|person|reviewer) (?:(?:denied|refused|declined|rejected) (?:it|the|this|that|to|approval)"
            r"|(?:doesn.t|does not|didn.t|did not) (?:want to proceed|approve))\b",
        ),
        (
            "network",
            r"\bcould ?n.t resolve (?:host|proxy)|\bcould not resolve (?:host|proxy)|\bname or service not known\b"
            r"|\btemporary failure in name resolution\b|\bnetwork is unreachable\b|\bno route to host\b"
            r"|\bconnection (?:was )?(?:refused|reset|aborted|closed by remote host)\b"
            r"|\bE(?:CONNREFUSED|CONNRESET|NOTFOUND|AI_AGAIN|HOSTUNREACH|NETUNREACH)\b"
            r"|\b(?:ssl|tls) handshake (?:failed|failure|error)|\bproxy error\b|\b50[234] (?:bad gateway|service"
            r" (?:temporarily )?unavailable|gateway time-?out)",
        ),
        ("time-out", r"\btimed[ -]?out\b|\btime-?out (?:expired|exceeded|reached|error)\b|\bETIMEDOUT\b"),
        (
            "rate limit",
            r"\brate[ -]?limit(?:ed| exceeded| reached|ing)?\b|\btoo many requests\b|\bquota exceeded\b"
            r"|\b(?:HTTP(?:/\d(?:\.\d)?)?|status(?: code)?|error(?: code)?)[ :=]{1,3}429\b",
        ),
        ("disk full", r"\bno space left on device\b|\bdisk (?:is )?full\b|\bENOSPC\b|\bdisk quota exceeded\b"),
        ("permission", r"\bEACCES\b|: permission denied\b|^permission denied\b|\boperation not permitted\b"),
        ("out of memory", r"\bout of memory\b|\bcannot allocate memory\b|\bOOM[- ]?kill"),
    )
)
_DEFECTS = re.compile(
    r"(?i:\b(?:assert|expected|mismatch|syntaxerror|typeerror|failed tests?|tests? failed))"
    r"|(?<!\bBUILD )\bFAIL(?:ED|S)?\b"
)
"""Words of a wrong result; a test that is told to FAIL has failed, also when it did so by taking too long. A build that
FAILED has so for any reason."""
_LAST_LINES = 15
"""So much of the evidence counts: a log tells at its end what it failed for, and before that much that went well."""


def environment_cause(steps: Sequence[TaskStep], reason: str | None, evidence: str | None) -> str | None:
    """Return what of the environment made a task fail, in a word or two; None: the failure counts.

    The last step that failed and was not put right later decides: how it ended, else what is told of it. Where the
    words tell of a wrong result as well ("expected 200, got connection refused"), it counts.
    """
    failing = _last_failing(steps)
    shown = None if evidence is None else "\n".join(evidence.splitlines()[-_LAST_LINES:])
    told = [text for text in (None if failing is None else failing.summary, reason, shown) if text]
    if any(_DEFECTS.search(text) for text in told):
        return None
    if failing is not None and failing.exit_code in _EXIT_CODES:
        return _EXIT_CODES[failing.exit_code]
    for text in told:
        for cause, sign in _SIGNS:
            if sign.search(text):
                return cause
    return None


def _last_failing(steps: Sequence[TaskStep]) -> TaskStep | None:
    worked: set[str] = set()
    for step in reversed(steps):
        if step.success is True:
            worked.add(_beginning(step.command))
        elif step.success is False and _beginning(step.command) not in worked:
            return step
    return None


def _beginning(command: str) -> str:
    """The first two words: enough to know a command again that was run with other arguments."""
    return " ".join(command.split()[:2])
