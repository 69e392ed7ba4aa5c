"""Measurements. Run them from the root of a checkout: `python -m benchmarks.accuracy --help`."""
