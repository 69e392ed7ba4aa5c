"""`wellworn` and `python -m wellworn`."""

import sys


def main() -> None:
    """Run the command line; a thin door so that nothing heavy loads before a command is known."""
    from wellworn.service.cli.app import run  # noqa: PLC0415  lazy: start-up time of light commands

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
