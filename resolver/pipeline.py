"""Message and context -> resolution: reads, names what must be encoded, ranks, decides, explains.

`Resolver.prepare` encodes nothing and `Resolver.answer` takes the vectors, so that a service can encode the texts of
many waiting questions in one call between the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Self

import numpy as np
from wellworn.resolver.head import HeadCache
from wellworn.resolver.parameters import Parameters, load_parameters
from wellworn.resolver.ranking import Ranking, rank

from wellworn.index.encoder import Encoder, FloatArray
from wellworn.index.lexical import grams_of, query_terms
from wellworn.index.snapshot import IndexSnapshot, PartitionKey
from wellworn.index.view import View
from wellworn.models.resolution import Context, Decision, IntentResolution, ResolveRequest
from wellworn.models.skill import Scope, SkillCard
from wellworn.resolver.answer import compose_resolution
from wellworn.resolver.context_facts import Facts, WhenResult, judge_when, read_facts
from wellworn.resolver.context_vectors import ContextVectors
from wellworn.resolver.decide import PROCEED_AT, Ranked, Verdict, decide
from wellworn.resolver.inquiry import Inquiry
from wellworn.resolver.message import Message, read_message
from wellworn.resolver.rules import Reading, read_intent
from wellworn.resolver.sessions import Sessions

CLAUSES_MAX = 3
"""Of several requests in one message, how many are looked at one by one; each costs an encoding."""
_DROPPED_CLAUSES = frozenset({"excluded", "prohibition", "question", "mention"})


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """A request that was read. texts: what must be encoded to answer it, in this order, with `snapshot.encoder`."""

    request: ResolveRequest
    message: Message
    reading: Reading
    facts: Facts
    snapshot: IndexSnapshot
    owners: tuple[PartitionKey, ...]
    text: str
    texts: tuple[str, ...]

    def encode(self) -> FloatArray:
        """Encode the texts here and now."""
        encoder = self.snapshot.encoder
        return encoder.encode(self.texts) if self.texts else np.empty((0, encoder.dim), dtype=np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """A ranking after the rules that no score may break: `when`, scope precedence, the decision table."""

    ranking: Ranking
    ranked: tuple[Ranked, ...]
    places: tuple[int, ...]
    verdict: Verdict
    notes: tuple[str, ...]


class Resolver:
    """Holds the fitted parameters, the trained heads, and small memories that any process can build again."""

    def __init__(self, heads: HeadCache, parameters: Parameters, *, note: str | None = None) -> None:
        """note: what every answer must say of the parameters, e.g. that none were fitted for this encoder."""
        self._heads = heads
        self._parameters = parameters
        self._note = note
        self._vectors = ContextVectors()
        self.sessions = Sessions()

    @classmethod
    def open(cls, encoder: Encoder, heads_dir: Path, *, parameters: Path | None = None) -> Self:
        """Load the parameters that were fitted for this encoder, or those of a file. Raises InvalidInput."""
        loaded, note = load_parameters(encoder.fingerprint, parameters)
        return cls(HeadCache(heads_dir), loaded, note=note)

    def close(self) -> None:
        """Stop fitting heads in the background; closing twice is fine."""
        self._heads.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def fit_head(self, snapshot: IndexSnapshot, owners: Sequence[PartitionKey]) -> None:
        """Train the head of these partitions now, rather than behind the first answers."""
        self._heads.of(snapshot.view(owners), snapshot.fingerprint)

    def prepare(self, request: ResolveRequest, snapshot: IndexSnapshot, owners: Sequence[PartitionKey]) -> Question:
        """Read a message and its context, and name the texts that must be encoded. Encodes nothing."""
        message = read_message(request.message)
        reading = read_intent(message)
        facts = read_facts(request.context)
        text = _text_to_match(message, reading)
        texts: tuple[str, ...] = ()
        if not message.empty:
            unknown = self._vectors.unknown(snapshot.fingerprint, facts.texts)
            texts = (text, *reading.several[:CLAUSES_MAX], *reading.excluded, *unknown)
        return Question(request, message, reading, facts, snapshot, tuple(owners), text, texts)

    def answer(self, question: Question, vectors: FloatArray, *, resolution_id: str, now: datetime) -> IntentResolution:
        """Resolve a question. vectors: float32[len(question.texts), dim], unit rows."""
        view = question.snapshot.view(question.owners)
        if question.message.empty or not view.size:
            judged = Judged(Ranking.empty(), (), (), Verdict(Decision.none), ())
        else:
            judged = self._judge_message(question, view, self._inquiries(question, vectors), now)
        notes = (*judged.notes, *((self._note,) if self._note else ()))
        return compose_resolution(question, replace(judged, notes=notes), self._parameters, resolution_id=resolution_id)

    def rank(self, question: Question, vectors: FloatArray, *, now: datetime) -> Judged:
        """Return the whole ranking of a question, for evaluation."""
        view = question.snapshot.view(question.owners)
        if question.message.empty or not view.size:
            return Judged(Ranking.empty(), (), (), Verdict(Decision.none), ())
        return self._judge_message(question, view, self._inquiries(question, vectors), now)

    def _inquiries(self, question: Question, vectors: FloatArray) -> list[Inquiry]:
        """The whole message first, then its clauses when it asks for several things."""
        reading, facts = question.reading, question.facts
        clauses = reading.several[:CLAUSES_MAX]
        first_excluded = 1 + len(clauses)
        first_fact = first_excluded + len(reading.excluded)
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

    def _judge_message(self, question: Question, view: View, inquiries: Sequence[Inquiry], now: datetime) -> Judged:
        whole = self._judge(question, view, inquiries[0], now)
        if len(inquiries) == 1 or (whole.verdict.chosen and whole.verdict.chosen.confidence >= PROCEED_AT):
            return whole
        parts = [self._judge(question, view, one, now) for one in inquiries[1:]]
        chosen = [judged.verdict.chosen for judged in parts if judged.verdict.chosen is not None]
        among = tuple({ranked.card.key: ranked for ranked in chosen}.values())
        if len(among) < 2:
            return whole
        asked = "; ".join(f"{ranked.card.id} ({ranked.confidence:.2f})" for ranked in among)
        note = f"The message asks for several things, one skill each: {asked}."
        return replace(whole, verdict=Verdict(Decision.choose, among=among), notes=(*whole.notes, note))

    def _judge(self, question: Question, view: View, inquiry: Inquiry, now: datetime) -> Judged:
        head = self._heads.of(view, question.snapshot.fingerprint)
        ranking = rank(view, inquiry, self._parameters, head, now=now)
        cards = [view.card(int(ref)) for ref in ranking.refs]
        context = question.request.context
        results = {card.key: judge_when(card.when, context) for card in cards if card.when is not None}
        kept, notes = _visible(cards, results)
        ranked = tuple(Ranked(cards[place], float(ranking.confidences[place])) for place in kept)
        unknown = frozenset(key for key, (result, _) in results.items() if result is WhenResult.unknown)
        verdict = decide(ranked, question.request.invocation, when_unknown=unknown)
        return Judged(ranking, ranked, tuple(kept), verdict, (*notes, *verdict.notes))


def _text_to_match(message: Message, reading: Reading) -> str:
    """The request as written; without what was ruled out or only talked about, when there is such a thing.

    Taking out politeness as well costs a little accuracy: stored examples are polite, too.
    """
    dropped = reading.excluded or any(clause.kind in _DROPPED_CLAUSES for clause in reading.clauses)
    return reading.request_text if dropped else message.request


def _visible(cards: Sequence[SkillCard], results: dict[int, tuple[WhenResult, str]]) -> tuple[list[int], list[str]]:
    """Drop skills whose `when` does not hold, and of one id in several scopes all but the narrowest; say so.

    Confidence that a dropped candidate held is not given to the others: it was measured with that candidate there.
    """
    narrowest: dict[str, int] = {}
    for card in cards:
        order = _order(card.scope)
        narrowest[card.id] = min(order, narrowest.get(card.id, order))
    kept: list[int] = []
    notes: list[str] = []
    for place, card in enumerate(cards):
        result, name = results.get(card.key, (WhenResult.holds, ""))
        if result is WhenResult.fails:
            if place == 0:
                notes.append(f"{card.id} was the nearest, but it needs {name}.")
        elif _order(card.scope) > narrowest[card.id]:
            if place < 2:
                notes.append(f"{card.id}@{card.scope} is shadowed by the {_name(narrowest[card.id])} skill of that id.")
        else:
            kept.append(place)
    return kept, notes


_SCOPES = (Scope.session, Scope.repo, Scope.user)


def _order(scope: Scope) -> int:
    return _SCOPES.index(scope)


def _name(order: int) -> str:
    return _SCOPES[order].value


__all__ = ["Context", "Judged", "Question", "Resolver"]
