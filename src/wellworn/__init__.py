"""wellworn: finds the saved skill a person means, and keeps the library of skills trustworthy."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("wellworn")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0.0.0"

__all__ = ["__version__"]
