"""Makes the `benchmarks` package importable: it lies at the root of the checkout and is not installed."""

import sys
from pathlib import Path

# Appended, not inserted: nothing at the root may hide an installed package.
sys.path.append(str(Path(__file__).parents[2]))
