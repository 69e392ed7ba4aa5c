"""Which secrets redaction finds, of each kind, and which harmless texts it leaves alone.

    python -m benchmarks.secrets [--seed 1] [--each 20] [--texts FILE.jsonl]

Secrets are made up by a seeded generator, so that none stands in this repository. `--texts`: lines with `command` and
`user_request`, real and harmless; what would be changed in them is printed, to be looked at by eye.
"""

from __future__ import annotations

import argparse
import json
import random
import string
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter

from wellworn.store.redact import redact

LETTERS, DIGITS, HEX = string.ascii_letters, string.digits, "0123456789abcdef"
MIXED = LETTERS + DIGITS
URL_SAFE = MIXED + "_-"
CAPITALS = string.ascii_uppercase + DIGITS
POD, ULID = "bcdfghjklmnpqrstvwxz2456789", "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
WORDS = [
    "amber",
    "birch",
    "canyon",
    "delta",
    "ember",
    "falcon",
    "garnet",
    "harbor",
    "island",
    "jasper",
    "kettle",
    "lantern",
    "meadow",
    "nectar",
    "orchid",
]

Make = Callable[[random.Random], tuple[str, str]]
"""Gives a text and the part of it that must not be kept."""


def some(rng: random.Random, count: int, letters: str = MIXED) -> str:
    """Random letters with at least one digit among them, where there are digits."""
    while True:
        text = "".join(rng.choices(letters, k=count))
        if any(c.isdigit() for c in text) or not any(c.isdigit() for c in letters):
            return text


def password(rng: random.Random) -> str:
    """As people choose them: words, digits and signs."""
    return rng.choice(
        [
            f"{rng.choice(WORDS)}{rng.choice(WORDS).title()}{rng.randint(10, 9999)}",
            f"{rng.choice(WORDS).title()}{rng.choice('!#_.%+')}{some(rng, 6)}",
            some(rng, rng.randint(8, 20)),
        ]
    )


def _token(
    *parts: object, frames: tuple[str, ...] = ("use {} for it", "curl -H 'X-Key: {}' https://a.io", "{}")
) -> Make:
    """A token of literal parts and (count, letters); `frames` are texts that it stands in."""

    def make(rng: random.Random) -> tuple[str, str]:
        value = "".join(part if isinstance(part, str) else some(rng, *part) for part in parts)  # type: ignore[misc]
        return rng.choice(frames).format(value), value

    return make


def _framed(*frames: str, value: Callable[[random.Random], str] = password) -> Make:
    def make(rng: random.Random) -> tuple[str, str]:
        secret = value(rng)
        return rng.choice(frames).replace("{}", secret), secret

    return make


def _web_token(rng: random.Random) -> tuple[str, str]:
    value = "eyJ" + ".".join((some(rng, 20, URL_SAFE), some(rng, 60, URL_SAFE), some(rng, 43, URL_SAFE)))
    return rng.choice(("token {} expired", "{}", "X-Auth: {}")).format(value), value.split(".")[1]


def _key_block(rng: random.Random) -> tuple[str, str]:
    kind = rng.choice(("RSA ", "EC ", "OPENSSH ", ""))
    lines = [some(rng, 64, MIXED + "+/") for _ in range(rng.randint(2, 8))]
    joint = rng.choice(("\n", "\\n"))
    begin, end = f"-----BEGIN {kind}PRIVATE" + " KEY-----", f"-----END {kind}PRIVATE" + " KEY-----"
    text = rng.choice(
        (joint.join((begin, *lines, end)), joint.join(("key:", begin, *lines)), joint.join((*lines, end)))
    )
    return text, rng.choice(lines)


def _aws_pair(rng: random.Random) -> tuple[str, str]:
    value = some(rng, 40, MIXED + "+/")
    frame = rng.choice(("AWS_SECRET_ACCESS_KEY={}", "aws_secret_access_key = {}", "export AWS_SECRET_ACCESS_KEY='{}'"))
    return frame.format(value), value


KINDS: dict[str, Make] = {
    "openai": _token("sk" + "-proj-", (48, URL_SAFE)),
    "openai-old": _token("sk" + "-", (48,)),
    "anthropic": _token("sk" + "-ant-api03-", (80, URL_SAFE)),
    "aws-id": _token("AK" + "IA", (16, CAPITALS)),
    "aws-secret": _aws_pair,
    "google": _token("AI" + "za", (35, URL_SAFE)),
    "google-oauth": _token("GOC" + "SPX-", (28, URL_SAFE)),
    "github": _token("gh" + "p_", (36,)),
    "github-fine": _token("github" + "_pat_", (22,), "_", (59,)),
    "gitlab": _token("gl" + "pat-", (20, URL_SAFE)),
    "slack": _token("xo" + "xb-", (12, DIGITS), "-", (12, DIGITS), "-", (24,)),
    "slack-hook": _token("https://hooks.slack" + ".com/services/T", (9,), "/B", (9,), "/", (24,)),
    "stripe": _token("sk" + "_live_", (24,)),
    "twilio": _token("S" + "K", (32, HEX)),
    "sendgrid": _token("S" + "G.", (22, URL_SAFE), ".", (43, URL_SAFE)),
    "mailgun": _token("ke" + "y-", (32, HEX)),
    "npm": _token("np" + "m_", (36,)),
    "pypi": _token("py" + "pi-AgEIcHlwaS5vcmc", (80, URL_SAFE)),
    "hugging-face": _token("h" + "f_", (34, LETTERS)),
    "digital-ocean": _token("do" + "p_v1_", (64, HEX)),
    "shopify": _token("shp" + "at_", (32, HEX)),
    "linear": _token("lin" + "_api_", (40,)),
    "notion": _token("nt" + "n_", (46,)),
    "telegram": _token((9, DIGITS), ":A" + "A", (33, URL_SAFE)),
    "discord": _token("M", (23,), ".", (6, URL_SAFE), ".", (27, URL_SAFE)),
    "azure": _token("Account" + "Key=", (86, MIXED + "+/"), "=="),
    "databricks": _token("da" + "pi", (32, HEX)),
    "vault": _token("hv" + "s.", (90, URL_SAFE)),
    "doppler": _token("dp" + ".pt.", (43,)),
    "supabase": _token("sb" + "p_", (40, HEX)),
    "datadog": _framed(
        "DD_API_KEY={}", "export DD_APP_KEY={}", 'datadog_api_key: "{}"', value=lambda r: some(r, 32, HEX)
    ),
    "new-relic": _token("NR" + "AK-", (27, CAPITALS)),
    "sentry": _token("sntr" + "ys_", (60, URL_SAFE)),
    "age": _token("AGE-SECRET" + "-KEY-1", (58, CAPITALS)),
    "ours": _token("w" + "w_", (43, URL_SAFE)),
    "web-token": _web_token,
    "private-key": _key_block,
    "connection": _framed(
        "psql postgres://app:{}@db.local:5432/shop",
        "DATABASE_URL=mysql://root:{}@127.0.0.1/x",
        "redis-cli -u redis://:{}@cache:6379",
        "mongodb+srv://u:{}@c0.mongodb.net/test",
        "amqp://guest:{}@mq/vhost",
        "jdbc:postgresql://h/db?user=a&password={}",
    ),
    "header": _framed(
        "curl -H 'Authorization: Bearer {}' https://api.a.io",
        'http GET a.io "Authorization: Token {}"',
        "curl -H 'X-Api-Key: {}' https://a.io",
        "-H 'Cookie: session={}; theme=dark'",
        value=lambda r: some(r, 24),
    ),
    "basic-auth": _framed("Authorization: Basic {}==", value=lambda r: some(r, 22)),
    "option": _framed(
        "mysql -u root -p{} shop",
        "tool login --password {}",
        "tool --password={} --verbose",
        "tool --api-key {}",
        "curl -u bob:{} https://a.io",
        "docker login -u bob -p {} registry.a.io",
        "sshpass -p {} ssh h",
        "echo {} | docker login -u bob --password-stdin",
    ),
    "export": _framed(
        "export DEPLOY_TOKEN={}", "DB_PASSWORD={} ./run.sh", 'set -x API_SECRET "{}"', "$env:MY_TOKEN = '{}'"
    ),
    "config": _framed(
        '{"password": "{}"}', "password: '{}'", "client_secret = {}", r"{\"apiKey\": \"{}\"}", "db.password={}"
    ),
    "signed-address": _framed(
        "https://a.blob.core.windows.net/c?sv=2022-11-02&sig={}%3D",
        "https://s3.amazonaws.com/b?X-Amz-Signature={}",
        value=lambda r: some(r, 43),
    ),
    "bare-random": _framed("the key is {} as agreed", "{}", value=lambda r: some(r, 48)),
}


def planted(count: int, seed: int) -> Iterator[tuple[str, str, str]]:
    """Give `count` (kind, text, secret), of all kinds in turn; equal seeds give equal ones."""
    rng = random.Random(seed)
    kinds = list(KINDS)
    for at in range(count):
        kind = kinds[at % len(kinds)]
        yield kind, *KINDS[kind](rng)


HARMLESS: tuple[Callable[[random.Random], str], ...] = (
    lambda r: f"git show {some(r, r.choice((7, 8, 12, 40)), HEX)}",
    lambda r: f"docker pull app@sha256:{some(r, 64, HEX)}",
    lambda r: f'"integrity": "sha512-{some(r, 86, MIXED + "+/")}=="',
    lambda r: (
        f"run {some(r, 8, HEX)}-{some(r, 4, HEX)}-4{some(r, 3, HEX)}-a{some(r, 3, HEX)}-{some(r, 12, HEX)} failed"
    ),
    lambda r: f"event 01J{some(r, 23, ULID)} seen",
    lambda r: f"npm version {r.randint(0, 30)}.{r.randint(0, 99)}.{r.randint(0, 99)}-beta.{r.randint(0, 9)}",
    lambda r: f"please reset my password for {r.choice(WORDS)}",
    lambda r: f"password: {r.choice(('required', 'optional', 'string', 'hidden'))}",
    lambda r: f"curl -H 'Authorization: Bearer $TOKEN' https://{r.choice(WORDS)}.io",
    lambda r: f"token: ${{{{ secrets.{r.choice(WORDS).upper()}_TOKEN }}}}",
    lambda r: f"tool --token <your-{r.choice(WORDS)}-token>",
    lambda r: "password=********",
    lambda r: f"src/{r.choice(WORDS)}/{r.choice(WORDS)}/{r.choice(WORDS)}_{r.choice(WORDS)}_test_{r.randint(1, 99)}.py",
    lambda r: "".join(r.choice(WORDS).title() for _ in range(6)) + "Factory",
    lambda r: (
        f"https://docs.{r.choice(WORDS)}.io/en/{r.randint(1, 9)}.0/{'-'.join(r.choices(WORDS, k=6))}/index.html#v1"
    ),
    lambda r: f"kubectl logs {r.choice(WORDS)}-{r.choice(WORDS)}-{some(r, 10, POD)}-{some(r, 5, POD)}",
    lambda r: f"docker exec {some(r, 12, HEX)} sh && docker inspect {some(r, 64, HEX)}",
    lambda r: f"ghcr.io/{r.choice(WORDS)}/{r.choice(WORDS)}:{r.randint(1, 9)}.{r.randint(0, 9)}-{some(r, 7, HEX)}",
    lambda r: f'class="css-{some(r, 6, HEX)} {r.choice(WORDS)}__{r.choice(WORDS)}--active-{r.randint(1, 99)}"',
    lambda r: f"trace_id={some(r, 32, HEX)} span_id={some(r, 16, HEX)}",
    lambda r: f"x-request-id: req_{some(r, 24)}",
    lambda r: f"pytest tests/test_{r.choice(WORDS)}.py::Test{r.choice(WORDS).title()}::test_{r.randint(1, 999)}_fails",
    lambda r: f"max_tokens={r.randint(100, 99999)} the tokenizer counted {r.randint(100, 99999)} tokens",
    lambda r: f"import {{ {r.choice(WORDS)}Token }} from '@{r.choice(WORDS)}/auth-{r.choice(WORDS)}'",
    lambda r: f"git clone git@github.com:{r.choice(WORDS)}/{r.choice(WORDS)}.git",
    lambda r: (
        f"pip install {r.choice(WORDS)}-{r.choice(WORDS)}=={r.randint(1, 9)}.{r.randint(1, 20)}.0rc{r.randint(1, 3)}"
    ),
    lambda r: f"API_KEY=$(pass show {r.choice(WORDS)}/api-key) make {r.choice(WORDS)}",
    lambda r: f"secretName: {r.choice(WORDS)}-{r.choice(WORDS)}-tls",
    lambda r: f"the {r.choice(WORDS)} token expired, log in again: `{r.choice(WORDS)} login`",
    lambda r: f"const secret = process.env.{r.choice(WORDS).upper()}_SECRET;",
    lambda r: (
        f"ssh -i ~/.ssh/{r.choice(WORDS)}_key -p {r.randint(1024, 65535)} {r.choice(WORDS)}@10.0.0.{r.randint(1, 254)}"
    ),
    lambda r: f"if token == expected_{r.choice(WORDS)}_token: return {r.choice(WORDS)}",
    lambda r: f"key: {r.choice(WORDS)}-{r.choice(WORDS)}-${{{{ hashFiles('**/package-lock.json') }}}}",
)


def harmless(count: int, seed: int) -> Iterator[str]:
    """Give `count` texts that only look like secrets, of all kinds in turn."""
    rng = random.Random(seed)
    for at in range(count):
        yield HARMLESS[at % len(HARMLESS)](rng)


def _report(each: int, seed: int) -> None:
    found: dict[str, int] = dict.fromkeys(KINDS, 0)
    for kind, text, secret in planted(each * len(KINDS), seed):
        missed = secret in redact(text)
        found[kind] += not missed
        if missed:
            print(f"  missed, {kind}: {text[:150]!r}")
    for kind, count in found.items():
        print(f"{kind:<16}{count:>6} of {each}")
    print(f"{'all':<16}{sum(found.values()):>6} of {each * len(KINDS)}")
    texts = list(harmless(each * len(HARMLESS), seed))
    changed = [(text, redact(text)) for text in texts if redact(text) != text]
    for text, redacted in changed:
        print(f"  changed: {text[:150]!r} -> {redacted[:150]!r}")
    print(f"look-alikes that survive: {len(texts) - len(changed)} of {len(texts)}")


def _real(path: Path) -> None:
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    texts = sorted({str(line.get(name) or "") for line in lines for name in ("command", "user_request")})
    begun = perf_counter()
    pairs = [(text, redact(text)) for text in texts]
    micros = (perf_counter() - begun) * 1e6
    changed = [(text, redacted) for text, redacted in pairs if "[redacted" in redacted]
    for text, redacted in changed:
        at = redacted.index("[redacted")
        print(f"  {text[max(0, at - 40) : at + 60]!r} -> {redacted[max(0, at - 40) : at + 60]!r}")
    per = micros / (sum(map(len, texts)) / 100)
    print(f"real texts: {len(texts)}, changed beyond home folders: {len(changed)}; {per:.1f} us for 100 characters")


def main() -> None:
    """Print the measures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=20, help="secrets and look-alikes of each kind")
    parser.add_argument("--texts", type=Path, help="a JSONL file of real texts")
    given = parser.parse_args()
    _report(given.each, given.seed)
    if given.texts is not None:
        _real(given.texts)


if __name__ == "__main__":
    main()
