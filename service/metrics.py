"""Cheap counters and histograms, and their text for Prometheus (exposition format 0.0.4)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from threading import Lock

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
SIZES = (1.0, 2.0, 4.0, 8.0, 16.0)

Labels = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Metric:
    """One family: its kind (counter, gauge, histogram), a line of help, and the upper bounds of its buckets."""

    kind: str
    help: str
    buckets: tuple[float, ...] = ()


METRICS: dict[str, Metric] = {
    "wellworn_http_requests_total": Metric("counter", "Requests answered, by method, route and status."),
    "wellworn_http_request_seconds": Metric("histogram", "Time from request to answer, by route.", SECONDS),
    "wellworn_decisions_total": Metric("counter", "Resolutions answered, by decision."),
    "wellworn_encode_batch_size": Metric("histogram", "Messages that were encoded in one call.", SIZES),
    "wellworn_encode_seconds": Metric("histogram", "Time of one encoding call.", SECONDS),
    "wellworn_refused_total": Metric("counter", "Requests refused before they were looked at, by reason."),
    "wellworn_abandoned_total": Metric("counter", "Questions dropped because nobody waited any more."),
    "wellworn_waiting": Metric("gauge", "Questions that wait for a worker."),
    "wellworn_ready": Metric("gauge", "1 when questions can be answered."),
    "wellworn_skills": Metric("gauge", "Skills in the index."),
    "wellworn_vectors": Metric("gauge", "Vectors in the index."),
    "wellworn_index_generation": Metric("gauge", "The generation of the index that is served."),
    "wellworn_recorder_waiting": Metric("gauge", "Records of resolutions that are not yet written."),
}


class _Histogram:
    __slots__ = ("counts", "total")

    def __init__(self, buckets: int) -> None:
        self.counts = [0] * (buckets + 1)
        self.total = 0.0


class Counters:
    """Thread-safe; one short lock, no allocation on the common path. Names outside METRICS become counters or
    histograms of seconds without help, so that a new caller never fails for its metric."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._counts: dict[tuple[str, Labels], float] = {}
        self._histograms: dict[tuple[str, Labels], _Histogram] = {}

    def count(self, name: str, amount: float = 1.0, **labels: str) -> None:
        """Add `amount` to a counter."""
        key = (name, tuple(sorted(labels.items())))
        with self._lock:
            self._counts[key] = self._counts.get(key, 0.0) + amount

    def observe(self, name: str, value: float, **labels: str) -> None:
        """Put `value` (seconds, or a size) into a histogram."""
        key = (name, tuple(sorted(labels.items())))
        buckets = _buckets(name)
        with self._lock:
            histogram = self._histograms.get(key)
            if histogram is None:
                histogram = self._histograms[key] = _Histogram(len(buckets))
            histogram.counts[bisect_left(buckets, value)] += 1
            histogram.total += value

    def value(self, name: str, **labels: str) -> float:
        """Return a counter's value, or how often a histogram was observed."""
        key = (name, tuple(sorted(labels.items())))
        with self._lock:
            if (histogram := self._histograms.get(key)) is not None:
                return float(sum(histogram.counts))
            return self._counts.get(key, 0.0)

    def text(self, gauges: Mapping[str, float] | None = None) -> str:
        """Return everything as Prometheus text, with `gauges` as read just now."""
        with self._lock:
            counts = sorted(self._counts.items())
            histograms = sorted((key, list(h.counts), h.total) for key, h in self._histograms.items())
        lines: list[str] = []
        seen: set[str] = set()
        for (name, labels), value in counts:
            lines += _head(name, "counter", seen)
            lines.append(f"{name}{_braces(labels)} {_number(value)}")
        for (name, labels), bucket_counts, total in histograms:
            lines += _head(name, "histogram", seen)
            lines += _histogram_lines(name, labels, bucket_counts, total)
        for name, value in (gauges or {}).items():
            lines += _head(name, "gauge", seen)
            lines.append(f"{name} {_number(value)}")
        return "\n".join(lines) + "\n"


def _buckets(name: str) -> tuple[float, ...]:
    metric = METRICS.get(name)
    return metric.buckets if metric is not None and metric.buckets else SECONDS


def _head(name: str, kind: str, seen: set[str]) -> Iterable[str]:
    if name in seen:
        return ()
    seen.add(name)
    metric = METRICS.get(name)
    about = (f"# HELP {name} {metric.help}",) if metric else ()
    return (*about, f"# TYPE {name} {metric.kind if metric else kind}")


def _histogram_lines(name: str, labels: Labels, counts: list[int], total: float) -> Iterable[str]:
    running = 0
    for bound, count in zip((*_buckets(name), float("inf")), counts, strict=True):
        running += count
        edge = "+Inf" if bound == float("inf") else _number(bound)
        yield f"{name}_bucket{_braces((*labels, ('le', edge)))} {running}"
    yield f"{name}_sum{_braces(labels)} {total!r}"
    yield f"{name}_count{_braces(labels)} {running}"


def _braces(labels: Labels) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{key}="{_escape(value)}"' for key, value in labels) + "}"


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else repr(float(value))
