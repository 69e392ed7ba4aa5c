"""Whether words are a sentence, or another shell's, rather than a command. Pure."""

from __future__ import annotations

import re

from wellworn.lifecycle.shell.command import Command

_CMDLET = re.compile(r"[A-Z][a-z]+-[A-Z][A-Za-z]+", re.ASCII)
_SENTENCE_START = re.compile(r"[A-Z][a-z']+[,:]?", re.ASCII)
_SENTENCE_WORD = re.compile(r"[a-zA-Z']+[.,?!;:]?", re.ASCII)
_GLUE = frozenset(
    [
        "and",
        "or",
        "these",
        "to",
        "of",
        "in",
        "on",
        "for",
        "with",
        "be",
        "all",
        "not",
        "so",
        "but",
        "if",
        "then",
        "from",
        "as",
        "by",
        "how",
        "what",
        "why",
        "when",
        "which",
    ]
)
_TALKING = frozenset(
    [
        "the",
        "a",
        "an",
        "that",
        "this",
        "please",
        "it",
        "its",
        "is",
        "are",
        "was",
        "were",
        "we",
        "you",
        "your",
        "our",
        "my",
        "their",
        "they",
        "should",
        "can",
        "could",
        "would",
    ]
)
_SPEAKERS = frozenset(
    [
        "echo",
        "printf",
        "say",
        "espeak",
        "cowsay",
        "figlet",
        "toilet",
        "notify-send",
        "logger",
        "wall",
        "print",
        "git",
        "gh",
    ]
)
_TALK = 2


def is_prose(command: Command) -> bool:
    """Whether the words are a sentence, or another shell's, rather than a command."""
    name = command.name
    if _CMDLET.fullmatch(name):
        return True
    if command.program in _SPEAKERS or len(command.words) < 2 or command.assignments:
        return False
    if command.prefix or any(word.startswith("-") for word in command.words):
        return False
    said = [word.lower().rstrip(".,?!;:") for word in command.words]
    talking = sum(word in _TALKING for word in said)
    like_words = sum(_SENTENCE_WORD.fullmatch(word) is not None for word in command.words)
    if like_words * 4 < len(command.words) * 3:
        return False
    if _SENTENCE_START.fullmatch(name):
        return talking > 0 or any(word in _GLUE for word in said)
    return talking > 0 and talking + sum(word in _GLUE for word in said) >= _TALK
