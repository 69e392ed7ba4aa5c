"""Vectors of utterances grouped by slot (one slot a skill), and the search over them.

The exact search is one product of the matrix with the query, whose inner products also serve the candidates' features
(with cold caches 0.5 ms for 3,600 rows, where FAISS's kernel takes 0.7 and the candidates' own products another 0.3).
Past APPROXIMATE_MIN_ROWS a FAISS inverted file with 8-bit codes, a quarter of the size, finds candidates that are then
scored exactly. FAISS answers -1 for what it did not find and for NaN queries: such ids never leave this module.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import faiss as _faiss
import numpy as np
from numpy.typing import NDArray

from wellworn.index.encoder import FloatArray
from wellworn.index.lexical import ranges

faiss: Any = _faiss  # its type stubs leave out what its Python wrappers add

APPROXIMATE_MIN_ROWS = 10_000
"""An exact search costs about 1.6 ms here and grows linearly; the approximate one is at 0.6 ms with 75,000 rows."""
LISTS_PER_ROOT = 1.5
PROBED_SHARE = 8
"""One list in 8 of 1.5 sqrt(n) is searched: recall@20 of 0.974 on 67,000 sentence vectors (index_speed.py)."""
_SAMPLE_PER_LIST = 24
_KMEANS_ROUNDS = 4
_KMEANS_SEED = 1234
_LENGTH_MIN = 1e-6

BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]
ByteArray = NDArray[np.uint8]


def pin_threads() -> None:
    """Let FAISS use one thread in this process: one query is too little work to share between threads."""
    faiss.omp_set_num_threads(1)


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """g runs of rows that are of one slot and one field.

    starts, sizes: int64[g], where each run begins and how many rows it has. lengths: float32[g], of the sum of its
    vectors. fields: int64[g]. of_slot: int64[m + 1], slot s has groups of_slot[s] to of_slot[s + 1].
    """

    starts: IntArray
    sizes: IntArray
    lengths: FloatArray
    fields: IntArray
    of_slot: IntArray

    def of_slots(self, slots: IntArray) -> tuple[IntArray, IntArray]:
        """Return the groups of these slots one after another, and how many each has."""
        first = self.of_slot[slots]
        counts = self.of_slot[slots + 1] - first
        return ranges(first, counts), counts


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """n utterances of m slots, immutable.

    matrix: float32[n, dim], unit rows; the rows of a slot lie side by side, ordered by field.
    slot_of: int32[n], ascending. starts: int64[m + 1], slot s has rows starts[s] to starts[s + 1].
    fields: uint8[n], positions in `segment.FIELDS`.
    texts: the text of each row, None where it is not kept in memory (body and description).
    groups: the runs of one field of one slot, in the order of the rows.
    """

    matrix: FloatArray
    slot_of: NDArray[np.int32]
    starts: IntArray
    fields: ByteArray
    texts: tuple[str | None, ...]
    groups: Groups

    def __len__(self) -> int:
        return len(self.fields)

    def of_slots(self, slots: IntArray) -> tuple[IntArray, IntArray]:
        """Return the rows of these slots one after another, and how many each has."""
        counts = self.starts[slots + 1] - self.starts[slots]
        return ranges(self.starts[slots], counts), counts


def make_rows(
    matrix: FloatArray, slot_of: NDArray[np.int32], fields: ByteArray, texts: Sequence[str | None], slots: int
) -> Rows:
    """Return Rows of rows that are ordered by slot already; `slots` is the number of slots, with or without rows."""
    starts = np.zeros(slots + 1, dtype=np.int64)
    np.cumsum(np.bincount(slot_of, minlength=slots), out=starts[1:])
    matrix = np.ascontiguousarray(matrix, dtype=np.float32)
    matrix.setflags(write=False)
    groups = _groups(matrix, slot_of, fields, slots)
    return Rows(matrix=matrix, slot_of=slot_of, starts=starts, fields=fields, texts=tuple(texts), groups=groups)


def _groups(matrix: FloatArray, slot_of: NDArray[np.int32], fields: ByteArray, slots: int) -> Groups:
    changes = (slot_of[1:] != slot_of[:-1]) | (fields[1:] != fields[:-1])
    starts = np.flatnonzero(np.concatenate([np.ones(min(len(fields), 1), dtype=np.bool_), changes]))
    of_slot = np.zeros(slots + 1, dtype=np.int64)
    np.cumsum(np.bincount(slot_of[starts], minlength=slots), out=of_slot[1:])
    sizes = np.diff(np.append(starts, len(fields)))
    lengths = _lengths(matrix, starts, sizes)
    return Groups(starts=starts, sizes=sizes, lengths=lengths, fields=fields[starts].astype(np.int64), of_slot=of_slot)


def _lengths(matrix: FloatArray, starts: IntArray, sizes: IntArray) -> FloatArray:
    """Return the length of the sum of each run's rows, at least 1e-6; 1 for a single row."""
    lengths = np.ones(len(starts), dtype=np.float32)
    for group in np.flatnonzero(sizes > 1).tolist():
        own = matrix[starts[group] : starts[group] + sizes[group]]
        lengths[group] = max(float(np.linalg.norm(own.sum(axis=0))), _LENGTH_MIN)
    return lengths


class RowFilter:
    """The rows that a search may return. Keeps the bitmap alive that FAISS only points at."""

    def __init__(self, allowed: BoolArray) -> None:
        self.allowed = allowed
        self._bits = np.packbits(allowed, bitorder="little")
        self.selector = faiss.IDSelectorBitmap(self._bits)


def approximate_index(matrix: FloatArray) -> Any:
    """Return an inverted file over the rows of float32[n, dim]: seeded, so equal rows give an equal index."""
    n, dim = matrix.shape
    lists = max(int(LISTS_PER_ROOT * n**0.5), 1)
    index = faiss.IndexIVFScalarQuantizer(
        faiss.IndexFlatIP(dim), dim, lists, faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT
    )
    index.cp.seed, index.cp.niter = _KMEANS_SEED, _KMEANS_ROUNDS
    index.cp.min_points_per_centroid, index.cp.max_points_per_centroid = 1, _SAMPLE_PER_LIST
    sample = np.linspace(0, n - 1, num=min(n, lists * _SAMPLE_PER_LIST), dtype=np.int64)
    index.train(matrix[sample])
    index.add(matrix)
    return index


def search_exact(products: FloatArray, k: int, allowed: BoolArray | None) -> tuple[IntArray, FloatArray]:
    """Return the rows (int64) and inner products of the k best allowed rows, best first; fewer when there are fewer.

    products: float32[n], of all rows with the query. Equal ones come in the order of their rows.
    """
    rows = np.arange(len(products)) if allowed is None else np.flatnonzero(allowed)
    scores = products if allowed is None else products[rows]
    if k <= 0 or not len(rows):
        return _NO_ROWS, _NO_SCORES
    if len(rows) > k:
        best = np.sort(np.argpartition(-scores, k - 1)[:k])
        rows, scores = rows[best], scores[best]
    order = np.argsort(-scores, kind="stable")
    return rows[order], scores[order]


def search_approximate(
    index: Any, matrix: FloatArray, query: FloatArray, k: int, allowed: RowFilter | None
) -> tuple[IntArray, FloatArray]:
    """Like search_exact over an `approximate_index` of the matrix: some rows may be missed, the scores are exact."""
    if k <= 0:
        return _NO_ROWS, _NO_SCORES
    params = faiss.SearchParametersIVF(
        nprobe=max(index.nlist // PROBED_SHARE, 1), **({} if allowed is None else {"sel": allowed.selector})
    )
    _, rows = index.search(query[None, :], min(k + k // 4 + 8, len(matrix)), params=params)
    found = rows[0][rows[0] >= 0]
    scores = matrix[found] @ query
    best = np.argsort(-scores, kind="stable")[:k]
    return found[best], scores[best]


_NO_ROWS, _NO_SCORES = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
