"""The `--explain` view: candidates, what matched, the context that counted, and how it became a confidence."""

from __future__ import annotations

import click

from wellworn.models.resolution import CandidateExplanation, Contribution, Explanation
from wellworn.service.cli.output import print_table

_MOST = 8
_NEGLIGIBLE = 0.005


def show_explanation(explanation: Explanation) -> None:
    """Print the candidates' table, then what weighed for each of the best."""
    click.echo(f"\nRead as: {explanation.mood}; matched on {explanation.request_text!r}")
    if explanation.facts:
        click.echo(f"Context: {'; '.join(explanation.facts)}")
    rows = [_row(c) for c in explanation.candidates]
    rows.append(
        ["(none of them)", "", f"{explanation.outside_score:+.2f}", _weighed(explanation.outside_contributions)]
    )
    click.echo()
    print_table(["candidate", "confidence", "score", "what weighed most"], rows, right=(1, 2))
    for candidate in explanation.candidates[:3]:
        _show_candidate(candidate)
    click.echo(f"\nParameters {explanation.parameters}; encoder {explanation.encoder}.")


def _row(candidate: CandidateExplanation) -> list[str]:
    name = f"{candidate.skill_id}@{candidate.scope}"
    return [name, f"{candidate.confidence:.3f}", f"{candidate.score:+.2f}", _weighed(candidate.contributions)]


def _weighed(contributions: list[Contribution]) -> str:
    strongest = sorted(contributions, key=lambda c: -abs(c.contribution))[:3]
    return ", ".join(f"{c.feature} {c.contribution:+.2f}" for c in strongest if abs(c.contribution) > _NEGLIGIBLE)


def _show_candidate(candidate: CandidateExplanation) -> None:
    click.echo(f"\n{candidate.skill_id}@{candidate.scope}: score {candidate.score:+.3f} is the sum of")
    counted = [c for c in candidate.contributions if abs(c.contribution) > _NEGLIGIBLE]
    counted.sort(key=lambda c: -abs(c.contribution))
    rest = sum(c.contribution for c in candidate.contributions) - sum(c.contribution for c in counted[:_MOST])
    rows = [
        [c.feature, f"{c.value:.3f}", f"{c.weight:+.3f}", f"{c.contribution:+.3f}", c.detail or ""]
        for c in counted[:_MOST]
    ]
    if abs(rest) > _NEGLIGIBLE:
        rows.append(["(all others)", "", "", f"{rest:+.3f}", ""])
    print_table(["feature", "value", "weight", "adds", "detail"], rows, right=(1, 2, 3))
