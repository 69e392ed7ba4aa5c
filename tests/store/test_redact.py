"""Secrets are known by the shape of the value, or by the name before it; what only looks like one stays."""

from __future__ import annotations

import random
import subprocess
import sys
import time

import pytest
from benchmarks.secrets import HARMLESS, KINDS, harmless, planted, some
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from wellworn.store import secret_names, secret_shapes
from wellworn.store.redact import redact, redact_field, redact_value

# Joined at run time so that no scanner takes these made-up values for real ones.
SECRETS = [
    "sk-" + "proj-" + "Abcdefgh12345678ijkl",
    "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789",
    "github_pat_" + "11ABCDEFG0abcdefghij_klmnopqrst",
    "AKIA" + "IOSFODNN7EXAMPLE",
    "xoxb-" + "123456789012-abcdefghij",
    "eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcDEFghi",
    "npm_" + "abcdefghijklmnopqrstuvwxyz0123456789",
    "ww_a_" + "abcdefghijklmnopqrst12345",
    "AbCdEf0123456789GhIjKlMnOpQrStUvWxYz0123",
]


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize(
    "frame", ["{}", "use {} for it", "KEY={}", '{{"token": "{}"}}', "curl -H 'X-Key: {}'", "({}),"]
)
def test_a_value_of_a_secret_shape_is_taken_out_wherever_it_stands(secret: str, frame: str) -> None:
    assert secret not in redact(frame.format(secret))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_secret_is_found(kind: str) -> None:
    rng = random.Random(kind)
    for _ in range(20):
        text, secret = KINDS[kind](rng)
        assert secret not in redact(text), text


@pytest.mark.parametrize("at", range(len(HARMLESS)))
def test_what_only_looks_like_a_secret_stays(at: int) -> None:
    rng = random.Random(at)
    for _ in range(20):
        text = HARMLESS[at](rng)
        assert redact(text) == text


@pytest.mark.parametrize(
    "frame",
    [
        "password={}",
        "PASSWORD: {}",
        '"api_key": "{}"',
        r"{{\"api_key\": \"{}\"}}",
        "db_token = {}",
        "dbPassword: '{}'",
        "PGPASSWORD={} psql",
        "export X_TOKEN={}",
        "set -x API_TOKEN {}",
        "$env:GH_TOKEN = '{}'",
        "setx DB_PASSWORD {}",
        "npm config set //registry.npmjs.org/:_authToken {}",
        "//registry.npmjs.org/:_authToken={}",
        "aws configure set aws_secret_access_key {}",
        "mysql -u root -p{} shop",
        "mysqldump --password={} shop",
        "tool --password {}",
        "tool --client-secret '{}'",
        "curl -u bob:{} https://a.io",
        "curl -s https://a.io --user bob:{}",
        "docker login -u bob -p {} r.io",
        "echo {} | docker login --password-stdin",
        "echo '{}' | sudo -S apt update",
        "sshpass -p {} ssh h",
        "twine upload -u me -p {} dist/a.whl",
        "openssl enc -k {} -in a",
        "rclone config create r sftp user bob pass {}",
        "echo 'machine h login bob password {}' >> .netrc",
        "redis-cli -h c -a {} ping",
        "openssl rsa -passin pass:{} -in k",
        "kubectl create secret generic x --from-literal=pw={}",
        "gh secret set NAME --body {}",
        "vault kv put secret/x pw={}",
        "psql postgres://bob:{}@db/x",
        "redis://:{}@cache:6379",
        "git clone https://oauth2:{}@gitlab.com/a/b.git",
        "https://a.io/x?user=1&password={}",
        "Cookie: session={}; theme=dark",
        "Authorization: Bearer {}",
        "htpasswd -bc f bob {}",
        "the password is {}",
        "my API key was: {}.",
        "- name: DB_PASSWORD\n  value: {}",
        '{{"name": "API_TOKEN", "value": "{}"}}',
        "ENV API_TOKEN {}",
        "ssh-keygen -t ed25519 -N {} -f k",
        "terraform apply -var='db_password={}'",
        "docker run -e DB_PASSWORD={} x",
    ],
)
def test_a_value_that_its_place_makes_a_secret_is_taken_out_and_the_rest_stays(frame: str) -> None:
    redacted = redact(frame.format("hunter2secret"))
    assert "hunter2secret" not in redacted
    assert "[redacted" in redacted
    assert redacted.startswith(frame.format("\0").split("\0")[0][:3])


@pytest.mark.parametrize(
    "text",
    [
        "reset my password please",
        "the token count is high",
        "password: required",
        "password is wrong",
        "the token is v1.2.3 and the api key is missing, the secret was rotated",
        "name: DB_HOST\nvalue: db-1.local",
        "name: DB_PASSWORD\nvalue: ${{ secrets.DB }}",
        "the token is 4096k long, the secret is 8f14e45fceea167a5a36dedd4bea2543aa",
        "the secret: never give up",
        'token=$TOKEN --password ${PASSWORD} --token "$(cat t)"',
        "--token <your-token> --password **** -p",
        "use --token to log in, or --password-stdin",
        "mysql -u root -p shop",
        "mkdir -p src/secret && cp -p a b",
        "ssh -p 2222 h",
        "tokens: 4096",
        "max_tokens=4096 TOKEN_LIMIT=100000",
        "const token = await getToken(user);",
        "if password == other_password:",
        "password=config.password",
        "token = next_token(user) or tokens[3]",
        "csrf_token = csrf_cookie",
        "password: OAuthFlow | None = None",
        "the author: Bob, keyboard: us, compass: north",
        "tokenizer=bert-base-uncased",
        "commit 8f14e45fceea167a5a36dedd4bea2543aa",
        "key: linux-node-8f14e45fceea167a5a36dedd4bea2543aa",
        "src/wellworn/resolver/features/context.py",
        "see https://example.org/a/b?c=d",
        "git@github.com:acme/shop.git",
        "icon@2x.png react@18.2.0 @types/node@20.1.0",
        "https://a.org/home/page /srv/home/x ./home/y",
        "AbstractSingletonProxyFactoryBeanProvider2Impl",
        "SECRET_NAME=shop-tls secretKeyRef: {name: shop}",
        "-----BEGIN CERTIFICATE-----",
        "the BEGIN PRIVATE KEY line",
    ],
)
def test_ordinary_words_hashes_and_paths_stay(text: str) -> None:
    assert redact(text) == text


def test_credentials_in_an_address_are_taken_out_and_the_address_stays() -> None:
    assert redact("postgres://bob:pw123@db.local/app") == "postgres://[redacted credentials]@db.local/app"


@pytest.mark.parametrize("joint", ["\n", "\\n", "\r\n"])
@pytest.mark.parametrize("lost", ["nothing", "end", "beginning"])
def test_a_private_key_is_taken_out_whole_even_when_a_part_was_cut_off(joint: str, lost: str) -> None:
    lines = [some(random.Random(at), 64) for at in range(4)]
    begin, end = "-----BEGIN RSA " + "PRIVATE KEY-----", "-----END RSA " + "PRIVATE KEY-----"
    whole = [begin, *lines, end]
    parts = {"nothing": whole, "end": whole[:-1], "beginning": whole[1:]}[lost]
    redacted = redact("here: " + joint.join(parts))
    assert not any(line in redacted for line in lines)
    assert redacted.startswith("here:")


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("/home/alice/x and /Users/bob/y by c.d@ex.org", "~/x and ~/y by [redacted e-mail]"),
        (r"C:\Users\alice\x", r"~\x"),
        (r"C:\\Users\\alice\\x", r"~\\x"),
        ("/mnt/c/Users/alice/x", "~/x"),
        ("'/home/alice'", "'~'"),
        ("/tmp/x/-home-alice-shop/a ~/.claude/projects/-Users-bob-ws", "/tmp/x/~-shop/a ~/.claude/projects/~-ws"),
        ("tool --home-dir x -home-dir y", "tool --home-dir x -home-dir y"),
        ("PATH=/home/alice/bin:/usr/bin", "PATH=~/bin:/usr/bin"),
    ],
)
def test_home_folders_and_e_mail_addresses_are_taken_out(text: str, redacted: str) -> None:
    assert redact(text) == redacted


def test_nested_data_is_redacted_by_value_and_by_name() -> None:
    key = "ghp_" + "a1" * 18
    data = {"password": "swordfish", "a": [{"b": f"x {key}"}, 3, None, True], key: "v", "note": "the password"}
    assert redact_value(data) == {
        "password": "[redacted secret]",
        "a": [{"b": "x [redacted key]"}, 3, None, True],
        "[redacted key]": "v",
        "note": "the password",
    }


def test_the_name_of_a_field_makes_its_value_a_secret_unless_it_stands_for_one() -> None:
    assert redact_field("dbPassword", "swordfish") == "[redacted secret]"
    assert redact_field("password", "$PASSWORD") == "$PASSWORD"
    assert redact_field("maxTokens", "4096") == "4096"
    assert redact_field("command", "swordfish") == "swordfish"


FRAGMENTS = st.sampled_from(
    [text for _, text, _ in planted(90, 3)]
    + list(harmless(66, 3))
    + [
        "=",
        ": ",
        " ",
        "\n",
        '"',
        "'",
        "@",
        "://",
        "--",
        "[redacted key]",
        "~",
        "password",
        "token ",
        "-p",
        "key=",
        "/home/",
    ]
)
ASCII = st.characters(max_codepoint=127)
TEXTS = st.lists(FRAGMENTS | st.text(max_size=6), max_size=6).map("".join)


@given(TEXTS | st.text())
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = redact(text)
    assert redact(once) == once


@given(TEXTS)
def test_the_fast_look_never_hides_a_name_that_the_patterns_would_find(text: str) -> None:
    if not secret_names.may_name(text.lower()):
        assert not list(secret_names._assigned(text))
        assert not list(secret_names._options(text))
        assert not list(secret_names._settings(text))


@pytest.mark.parametrize("name", sorted(set(secret_shapes._PLUGINS)))
def test_the_fast_look_never_hides_what_the_library_finds(name: str) -> None:
    patterns = [pattern for plugin, pattern in secret_shapes._library() if plugin == name]
    assert patterns

    @settings(max_examples=15, deadline=None, phases=[Phase.generate])
    @given(st.data())
    def check(data: st.DataObject) -> None:
        pattern = data.draw(st.sampled_from(patterns))
        text = data.draw(st.from_regex(pattern, alphabet=ASCII))
        if name == "slack":  # its tokens are in small letters, whatever the pattern says
            text = text.lower()
        if pattern.sub(secret_shapes._found(name), text) != text:
            assert redact(text) != text

    check()


NASTY = [
    *(
        "eyJ",
        "a",
        "A1",
        "sk-",
        "-",
        "aB1/",
        "xoxb-1",
        "AKIA",
        "key ",
        "aws",
        "aws key ",
        "1",
        "1:",
        "AP0",
        "token",
        "0a",
    ),
    *(
        "secret_key=",
        " ",
        "SG.a",
        "MM.M",
        "https://hooks.slack.com/services/T",
        "password=",
        "token: ",
        "--token ",
        "a@",
    ),
    *(
        "a.b@c.d",
        "://a:",
        "://",
        "/home/",
        "C:\\Users\\",
        "-----BEGIN PRIVATE" + " KEY-----",
        "-----END PRIVATE" + " KEY-----",
    ),
    *(
        "mysql",
        "mysql -p",
        "curl ",
        "curl -u a",
        "docker login ",
        "echo a | ",
        "cookie: a=",
        "export ",
        "set ",
        "bearer a",
    ),
    *("htpasswd -b", "'", '"', "\\", "=", "key=", "config set ", "secret set A ", "?sig=", "é", "[redacted", "Users/"),
]


@pytest.mark.parametrize("unit", NASTY, ids=lambda unit: repr(unit)[:20])
def test_long_nasty_text_takes_time_in_proportion_to_its_length(unit: str) -> None:
    redact(unit * 10)
    begun = time.process_time()
    redact(unit * (100_000 // len(unit)))
    assert time.process_time() - begun < 3  # a hundredth of what a quadratic pattern takes


def test_ordinary_text_loads_no_library() -> None:
    code = (
        "import sys; from wellworn.store.redact import redact;"
        "redact('run the tests at src/a/b.py:12 and push 1.2.3 to origin, password: required');"
        "sys.exit('detect_secrets' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
