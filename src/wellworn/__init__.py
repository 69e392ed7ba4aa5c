"""wellworn: finds the saved skill a person means, and keeps the library of skills trustworthy."""

__all__ = ["__version__"]


def __getattr__(name: str) -> str:
    """`__version__`, looked up when it is asked for: reading package metadata is slow beside a light command."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415

    try:
        return version("wellworn")
    except PackageNotFoundError:  # a source tree that was never installed
        return "0.0.0"
