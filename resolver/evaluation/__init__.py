"""Measuring the resolver on labelled messages: read them, resolve each, and say how good the answers were.

    messages.py   the labelled messages and their file
    metrics.py    the figures, as pure functions over arrays
    outcome.py    what was answered to one message, and whether it was right
    answer.py     what `wellworn eval --json` prints
    summary.py    outcomes -> answer
    runner.py     messages + something that resolves -> outcomes, with a positive control
    compare.py    two runs over the same messages
    limits.py     `--fail-under top1=0.9,ece=0.05`
    report.py     tables for people
    plot.py       the same as a picture (extra `plot`)

Nothing here knows how a message is resolved: the caller hands in a function.
"""
