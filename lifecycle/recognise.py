"""Recognising what commands and messages are: test runners and how they ended, a person's corrections and rules."""

from __future__ import annotations

from wellworn.lifecycle.corrections import is_correction
from wellworn.lifecycle.meant import Rule, correction_rule, is_fact, rule_of, same_rule
from wellworn.lifecycle.runners import test_outcome, test_runner

__all__ = [
    "Rule",
    "correction_rule",
    "is_correction",
    "is_fact",
    "rule_of",
    "same_rule",
    "test_outcome",
    "test_runner",
]
