"""What kind of work a list of steps is: a release, a checklist before one, or just a sequence; and what is everyday."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wellworn.models.proposal import Signal

_RELEASE = re.compile(
    r"\b(?:publish|release|deploy|upload|promote|rollout|ship|tag|twine|goreleaser|semantic-release|changeset)\b"
    r"|\bnpm version\b|\b(?:docker|helm|podman) push\b|\bhelm upgrade\b|\bterraform apply\b|\bfastlane\b"
    r"|\bkubectl apply\b"
    r"|\b(?:poetry|cargo|bump2?|hatch|uv|pnpm|yarn) version\b|\bbump(?:version|-my-version)?\b",
    re.IGNORECASE,
)
_INSTALL = re.compile(
    r"\b(?:npm|pnpm|yarn|bun)\b.*\b(?:i|add|link)\b|\binstall\b",
    re.IGNORECASE,
)
_SMOKE = re.compile(r"--version\b|\bsmoke\b|\bdoctor\b|\bhealth(?:check|z)?\b|\bverify\b", re.IGNORECASE)
_MERGE = re.compile(r"\bmerge\b", re.IGNORECASE)

_EVERYDAY = re.compile(
    r"git (?:add|commit|push|pull|fetch|checkout|switch|stash|merge|rebase|restore|reset|init|clone|rm|mv|config)\b.*"
)

_COMMIT = re.compile(r"git (?:commit|add)\b")
_TRIED = re.compile(
    r"(?:python -m )?(?:pytest|unittest)\b|(?:npm|pnpm|yarn|bun)(?: run)? (?:test|build|check)\b"
    r"|(?:jest|vitest|tox|nox|tsc|rspec|phpunit|ctest)\b"
    r"|(?:cargo|go|make|just|mvn|gradle|dotnet|mix|swift|bazel|deno) (?:test|build|check|vet)\b",
    re.IGNORECASE,
)


def is_release(key: str) -> bool:
    """Say whether a step releases, publishes, tags or deploys."""
    return bool(_RELEASE.search(key))


def is_habit(keys: Sequence[str]) -> bool:
    """Say whether steps are only what agents do unasked: version control of every day, or try it and commit it."""
    if all(_EVERYDAY.fullmatch(key) for key in keys):
        return True
    return any(_COMMIT.match(key) for key in keys) and all(
        _EVERYDAY.fullmatch(key) or _TRIED.match(key) for key in keys
    )


def signal_of(keys: Sequence[str], *, ordered: bool) -> Signal:
    """Return what kind of repeated friction a list of steps is.

    Steps in loose order are a checklist. A list that releases something, or installs and then tries what was
    installed, is a release ritual.
    """
    if not ordered:
        return Signal.manual_checklist
    if any(is_release(key) for key in keys):
        return Signal.release_ritual
    if _MERGE.search(keys[-1]) and len(keys) > 3:
        return Signal.manual_checklist
    installs = [at for at, key in enumerate(keys) if _INSTALL.search(key)]
    smoke = [at for at, key in enumerate(keys) if _SMOKE.search(key)]
    if installs and smoke and smoke[-1] > installs[0]:
        return Signal.release_ritual
    return Signal.command_sequence
