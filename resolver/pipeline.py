"""Message and context -> resolution: reads, names what must be encoded, ranks, decides, explains.

`Resolver.prepare` encodes nothing and `Resolver.answer` takes the vectors, so that a service can encode the texts of
many waiting questions in one call between the two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from wellworn.index.encoder import Encoder, FloatArray
from wellworn.index.lexical import grams_of, query_terms
from wellworn.index.snapshot import IndexSnapshot, PartitionKey
from wellworn.models.resolution import Decision, IntentResolution, ResolveRequest
from wellworn.models.skill import Scope, SkillCard
from wellworn.resolver.answer import compose_resolution
from wellworn.resolver.calibration import NEUTRAL, softmax_with_outside
from wellworn.resolver.context_facts import Facts, WhenResult, judge_when, read_facts
from wellworn.resolver.context_vectors import ContextVectors
from wellworn.resolver.decide import CONFIRM_AT, Ranked, Verdict, decide
from wellworn.resolver.features import LIKENESSES_MAX
from wellworn.resolver.fitted import Fitted, FittedNumbers
from wellworn.resolver.head import HeadCache
from wellworn.resolver.inquiry import Inquiry
from wellworn.resolver.message import Message, read_message
from wellworn.resolver.precedence import Precedence, Seen, scope_references, without_scopes
from wellworn.resolver.ranking import Ranking, rank
from wellworn.resolver.rules import Reading, read_intent
from wellworn.resolver.sessions import Sessions
from wellworn.resolver.spelling import corrected, words_known_to

SAME_WORDS = 0.9
"""Cosine from which on a whole message is one utterance of a skill, however many clauses it has."""
CLAUSES_MAX = 3
_LEFT_MIN = 1e-6
"""With less left than this for all others together, rounding would decide between them."""
"""Of several requests in one message, how many are looked at one by one; each costs an encoding."""
_DROPPED_CLAUSES = frozenset({"excluded", "prohibition", "question", "mention"})


_NOTHING = Verdict(Decision.none)


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """A request that was read. texts: what must be encoded to answer it, in this order, with `snapshot.encoder`.

    asked: ids of which the message itself names the scope (`id@scope`).
    """

    request: ResolveRequest
    message: Message
    reading: Reading
    facts: Facts
    snapshot: IndexSnapshot
    owners: tuple[PartitionKey, ...]
    asked: Mapping[str, Scope]
    text: str
    texts: tuple[str, ...]

    def encode(self) -> FloatArray:
        """Encode the texts here and now."""
        encoder = self.snapshot.encoder
        return encoder.encode(self.texts) if self.texts else np.empty((0, encoder.dim), dtype=np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """A ranking after the rules that no score may break: `when` and the decision table.

    ranked: the candidates that may answer, best first; places: where they stand in `ranking`.
    """

    fitted: Fitted
    ranking: Ranking
    ranked: tuple[Ranked, ...] = ()
    places: tuple[int, ...] = ()
    verdict: Verdict = _NOTHING
    notes: tuple[str, ...] = ()


class Resolver:
    """Holds the fitted numbers, the trained heads, and small memories that any process can build again."""

    def __init__(self, heads: HeadCache, numbers: FittedNumbers) -> None:
        """Use `Resolver.open`."""
        self._heads = heads
        self._numbers = numbers
        self._vectors = ContextVectors()
        self._precedence = Precedence()
        self.sessions = Sessions()

    @classmethod
    def open(
        cls, encoder: Encoder, heads_dir: Path, *, parameters: Path | None = None, calibration: Path | None = None
    ) -> Self:
        """Load the parameters that were fitted for this encoder, or those of a file.

        calibration: where a user's own correction lies, if there is one. Raises InvalidInput (the parameter file).
        """
        numbers = FittedNumbers(parameters, calibration)
        numbers.of(encoder.fingerprint)
        return cls(HeadCache(heads_dir), numbers)

    def close(self) -> None:
        """Stop fitting heads in the background; closing twice is fine."""
        self._heads.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def reload(self) -> None:
        """Read parameters and calibration again at the next question."""
        self._numbers.reload()

    def parameters_name(self, fingerprint: str) -> str:
        """Return the name of the parameters that are used with an encoder."""
        return self._numbers.of(fingerprint).parameters.name

    def fit_head(self, snapshot: IndexSnapshot, owners: Sequence[PartitionKey]) -> None:
        """Train the heads of these partitions now, rather than behind the first answers."""
        self._heads.fit(snapshot.view(owners), snapshot.fingerprint)

    def prepare(self, request: ResolveRequest, snapshot: IndexSnapshot, owners: Sequence[PartitionKey]) -> Question:
        """Read a message and its context, and name the texts that must be encoded. Encodes nothing."""

        def known(words: Sequence[str]) -> Sequence[bool]:
            return words_known_to(snapshot.view(owners))(words)

        message = read_message(without_scopes(request.message))
        reading = read_intent(message)
        facts = read_facts(request.context)
        text = _text_to_match(message, reading)
        if message.language_hint is None and not message.empty:
            text = corrected(text, known)
        texts: tuple[str, ...] = ()
        if not message.empty:
            unknown = self._vectors.unknown(snapshot.fingerprint, facts.texts)
            texts = (text, *reading.several[:CLAUSES_MAX], *reading.excluded[:LIKENESSES_MAX], *unknown)
        asked = scope_references(request.message)
        return Question(request, message, reading, facts, snapshot, tuple(owners), asked, text, texts)

    def answer(self, question: Question, vectors: FloatArray, *, resolution_id: str, now: datetime) -> IntentResolution:
        """Resolve a question. vectors: float32[len(question.texts), dim], unit rows."""
        judged = self.rank(question, vectors, now=now)
        note = judged.fitted.note
        told = replace(judged, notes=(*judged.notes, note)) if note else judged
        return compose_resolution(question, told, resolution_id=resolution_id)

    def rank(self, question: Question, vectors: FloatArray, *, now: datetime) -> Judged:
        """Return the whole ranking of a question: what `answer` puts into words."""
        fitted = self._numbers.of(question.snapshot.fingerprint)
        seen = self._precedence.seen(question.snapshot, question.owners, question.asked)
        if question.message.empty or not seen.view.size:
            return Judged(fitted, Ranking.empty())
        return self._judge_message(question, fitted, seen, self._inquiries(question, vectors), now)

    def _inquiries(self, question: Question, vectors: FloatArray) -> list[Inquiry]:
        """The whole message first, then its clauses when it asks for several things."""
        reading, facts = question.reading, question.facts
        clauses = reading.several[:CLAUSES_MAX]
        first_excluded = 1 + len(clauses)
        first_fact = first_excluded + len(reading.excluded[:LIKENESSES_MAX])
        fingerprint = question.snapshot.fingerprint
        self._vectors.learn(fingerprint, question.texts[first_fact:], vectors[first_fact:])
        dim = question.snapshot.encoder.dim

        def of(texts: tuple[str, ...]) -> FloatArray:
            return self._vectors.of(fingerprint, texts, dim)

        whole = Inquiry(
            message=question.message,
            reading=reading,
            text=question.text,
            query=vectors[0],
            terms=query_terms(question.text),
            grams=grams_of(question.text),
            excluded=vectors[first_excluded:first_fact],
            facts=facts,
            statements=of(facts.statements),
            goal=of((facts.goal,) if facts.goal else ()),
            traces=of(facts.traces),
            session_keys=self.sessions.keys(question.owners),
        )
        parts = [
            replace(whole, text=text, query=vector, terms=query_terms(text), grams=grams_of(text))
            for text, vector in zip(clauses, vectors[1:first_excluded], strict=True)
        ]
        return [whole, *parts]

    def _judge_message(
        self, question: Question, fitted: Fitted, seen: Seen, inquiries: Sequence[Inquiry], now: datetime
    ) -> Judged:
        whole = self._judge(question, fitted, seen, inquiries[0], now)
        if len(inquiries) == 1 or _said_by_its_author(whole):
            return whole
        parts = [self._judge(question, fitted, seen, one, now) for one in inquiries[1:]]
        chosen = [judged.verdict.chosen for judged in parts if judged.verdict.chosen is not None]
        among = tuple({ranked.card.key: ranked for ranked in chosen}.values())
        if len(among) < 2:
            return whole
        asked = "; ".join(f"{ranked.card.id} ({ranked.confidence:.2f})" for ranked in among)
        note = f"The message asks for several things, one skill each: {asked}."
        return replace(whole, verdict=Verdict(Decision.choose, among=among), notes=(*whole.notes, note))

    def _judge(self, question: Question, fitted: Fitted, seen: Seen, inquiry: Inquiry, now: datetime) -> Judged:
        heads = self._heads.of(seen.view, question.snapshot.fingerprint)
        ranking = rank(seen.view, inquiry, fitted.parameters, heads, now=now)
        cards = ranking.cards
        context = question.request.context
        results = {card.key: judge_when(card.when, context) for card in cards if card.when is not None}
        kept, notes = _applicable(cards, results)
        confidences = _given_kept(_confidences(ranking, fitted), kept)
        ranked = tuple([Ranked(cards[place], confidences[place]) for place in kept])
        unknown = frozenset(key for key, (result, _) in results.items() if result is WhenResult.unknown)
        verdict = decide(ranked, question.request.invocation, when_unknown=unknown)
        passed_over = seen.note(ranked[0].card.id) if ranked else None
        notes += [passed_over] if passed_over else []
        return Judged(fitted, ranking, ranked, tuple(kept), verdict, (*notes, *verdict.notes))


def _said_by_its_author(judged: Judged) -> bool:
    """Whether the message as a whole is (nearly) what the chosen skill's author wrote: "ship this and install it"."""
    if judged.verdict.chosen is None:
        return False
    evidence = judged.ranking.evidence(judged.places[0])
    return bool(evidence.exact) or evidence.cosine >= SAME_WORDS


def _confidences(ranking: Ranking, fitted: Fitted) -> NDArray[np.float64]:
    if (fitted.scale, fitted.outside_shift) == NEUTRAL:
        return ranking.confidences
    return softmax_with_outside(
        ranking.scores * fitted.scale, ranking.outside_score * fitted.scale + fitted.outside_shift
    )


def _given_kept(confidences: NDArray[np.float64], kept: Sequence[int]) -> list[float]:
    """Return P(each is meant | it is one of those kept, or none), in the order of `confidences`.

    What the dropped held goes to the others and to "none" in proportion: two skills that only their `when` tells apart
    do not share any longer. Not so where the message clearly means one that was dropped: nobody who says "deploy to
    production" is served by the skill that deploys elsewhere.
    """
    if len(kept) == len(confidences) or (0 not in kept and confidences[0] >= CONFIRM_AT):
        return list(confidences.tolist())
    left = max(1.0 - float(np.delete(confidences, kept).sum()), _LEFT_MIN)
    return [min(one / left, 1.0) for one in confidences.tolist()]


def _text_to_match(message: Message, reading: Reading) -> str:
    """The request as written; without what was ruled out or only talked about, when there is such a thing.

    Taking out politeness as well costs a little accuracy: stored examples are polite, too.
    """
    dropped = reading.excluded or any(clause.kind in _DROPPED_CLAUSES for clause in reading.clauses)
    return reading.request_text if dropped else message.request


def _applicable(
    cards: Sequence[SkillCard], results: Mapping[int, tuple[WhenResult, str]]
) -> tuple[list[int], list[str]]:
    """Drop skills whose `when` does not hold; say so of the nearest.

    Its facts are known not to hold, so it cannot be meant: see `_given_kept`.
    """
    if not results:
        return [*range(len(cards))], []
    kept: list[int] = []
    notes: list[str] = []
    for place, card in enumerate(cards):
        result, name = results.get(card.key, (WhenResult.holds, ""))
        if result is not WhenResult.fails:
            kept.append(place)
        elif place == 0:
            notes.append(f"{card.id} was the nearest, but it needs {name}.")
    return kept, notes
