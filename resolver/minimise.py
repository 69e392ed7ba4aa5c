"""L-BFGS in numpy: small smooth convex problems (the trained head, the fit of the parameters) need no more.

Keeping scipy and scikit-learn out of the service saves their 195 MB on disk and their second of importing.
Nocedal and Wright, Numerical Optimization (2006), algorithm 7.4, with a backtracking (Armijo) line search.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.floating[Any]]
Objective = Callable[[Vector], tuple[float, Vector]]
Pair = tuple[Vector, Vector, float]

_MEMORY = 10
_SUFFICIENT = 1e-4
_HALVINGS = 25


def minimise(objective: Objective, start: Vector, *, rounds: int = 200, tolerance: float = 1e-4) -> Vector:
    """Return the point where a smooth convex function is least.

    objective: a point -> (value, gradient). Stops after `rounds` steps, when the largest component of the gradient is
    below `tolerance`, or when no step along the search direction makes the value smaller.
    """
    point = start.copy()
    value, gradient = objective(point)
    pairs: deque[Pair] = deque(maxlen=_MEMORY)
    for _ in range(rounds):
        if float(np.abs(gradient).max(initial=0.0)) < tolerance:
            break
        direction = _direction(gradient, pairs)
        step = 1.0 if pairs else min(1.0, 1.0 / float(np.abs(gradient).sum()))
        found = _search(objective, point, value, direction, slope=float(gradient @ direction), step=step)
        if found is None:
            break
        new_point, value, new_gradient = found
        moved, bent = new_point - point, new_gradient - gradient
        curvature = float(moved @ bent)
        if curvature > 1e-12:
            pairs.append((moved, bent, curvature))
        point, gradient = new_point, new_gradient
    return point


def _direction(gradient: Vector, pairs: deque[Pair]) -> Vector:
    """The two-loop recursion: minus the approximate inverse Hessian times the gradient."""
    result = -gradient
    shares: list[float] = []
    for moved, bent, curvature in reversed(pairs):
        share = float(moved @ result) / curvature
        shares.append(share)
        result = result - share * bent
    if pairs:
        _, bent, curvature = pairs[-1]
        result = result * (curvature / float(bent @ bent))
    for (moved, bent, curvature), share in zip(pairs, reversed(shares), strict=True):
        result = result + (share - float(bent @ result) / curvature) * moved
    return result


def _search(
    objective: Objective, point: Vector, value: float, direction: Vector, *, slope: float, step: float
) -> tuple[Vector, float, Vector] | None:
    if slope >= 0:
        return None
    for _ in range(_HALVINGS):
        trial = point + step * direction
        new_value, gradient = objective(trial)
        if new_value <= value + _SUFFICIENT * step * slope:
            return trial, new_value, gradient
        step /= 2
    return None
