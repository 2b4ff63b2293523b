"""Why: what is masked is masked before anything is read: no fact, digest, proof or page may hold it, and every column stays."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollens.engine.diagnosis.driver import Diagnosed
from tollens.engine.diagnosis.packs import rulebook
from tollens.engine.diagnosis.redact import Masker, redact
from tollens.engine.session.session import canonical
from tollens.parsers import Limits, source

Run = Callable[..., Diagnosed]
Signal = Callable[[str], bytes]

BOOK = rulebook(cached=False)

#: Each secret stands in pieces, so that no scanner takes this file for a leak.
SECRETS = {
    "redact.aws_key_id": ("AKIA" + "Z7QW3ERTYUIOPASD", "key {} refused"),
    "redact.github": ("gh" + "p_" + "a1B2" * 9, "remote: {} is not valid"),
    "redact.gitlab": ("glpat" + "-" + "x" * 20, "token {}"),
    "redact.slack": ("xox" + "b-123456789012-abcdef", "slack said {}"),
    "redact.google": ("AI" + "za" + "B" * 35, "?key={}&x=1"),
    "redact.stripe": ("sk_" + "live_" + "4" * 24, "charge with {}"),
    "redact.model_key": ("sk" + "-" + "proj-" + "q" * 30, "Incorrect API key provided: {}."),
    "redact.package_index": ("npm" + "_" + "k" * 36, "//registry/:_authToken {}"),
    "redact.jwt": ("eyJ" + "hbGciOiJIUzI1" + ".eyJzdWIiOiIxMjM0" + ".SflKxwRJSMeKKF2QT4", "cookie session={}"),
    "redact.authorization": ("dXNlcjpwYXNzd29yZA==", "Authorization: Basic {}"),
    "redact.bearer": ("abcdef0123456789abcdef", "with Bearer {} we got 401"),
    "redact.url_password": ("hunter2!", "postgres://app:{}@db:5432/x"),
    "redact.named": ("correct-horse", "connect(user='a', password='{}')"),
    "redact.environment": ("s3cr3tvalue", "export DB_PASSWORD={} && run"),
}


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_masked_in_place(name: str) -> None:
    secret, sentence = SECRETS[name]
    line = sentence.format(secret)
    masked, facts = redact(line, BOOK.redactions)
    assert masked == sentence.format("*" * len(secret))
    assert [(fact.fields["redaction"], fact.fields["count"]) for fact in facts] == [(name, 1)]


def test_a_key_block_keeps_its_lines() -> None:
    body = "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEow\r\nIBAAK\n-----END RSA " + "PRIVATE KEY-----"
    masked, _ = redact(body, BOOK.redactions)
    assert masked.split("\n")[1:3] == ["******\r", "*****"]
    assert len(masked) == len(body)


def test_nothing_of_a_secret_is_left_in_a_run(run: Run) -> None:
    secret = "gh" + "p_" + "Zz9" * 12
    text = f'Traceback (most recent call last):\n  File "app/sync.py", line 3, in push\n    call(token="{secret}")\nValueError: bad token {secret}\n'
    done = run(text.encode())
    whole = json.dumps([done.result, canonical(done.session), [done.line(n) for n in range(1, 6)]])
    assert secret not in whole
    assert secret[4:] not in whole
    assert "*" * len(secret) in done.result["records"][0]["message"]
    assert done.session.store.facts("redacted")[0].plain() == {"redaction": "redact.github", "count": 2}
    # The same run with another secret of the same length is the same run: nothing was made from what was masked.
    assert run(text.replace(secret, "gh" + "p_" + "Yy8" * 12).encode()).run_id == done.run_id


def test_ordinary_text_is_left_alone(signal: Signal) -> None:
    for name in ("shopping-long", "python-3.13-chained", "outcomes-long"):
        text = signal(name).decode()
        assert redact(text, BOOK.redactions) == (text, [])


@given(st.text(max_size=400))
def test_length_and_line_ends_never_change(text: str) -> None:
    masked, _ = redact(text, BOOK.redactions)
    assert len(masked) == len(text)
    assert [i for i, char in enumerate(masked) if char in "\r\n"] == [i for i, char in enumerate(text) if char in "\r\n"]


@given(st.lists(st.sampled_from(sorted(SECRETS)), min_size=1, max_size=6), st.lists(st.integers(0, 400), min_size=6, max_size=6))
def test_secrets_across_the_borders_of_what_is_read_at_once(names: list[str], gaps: list[int]) -> None:
    """A long text is masked stretch by stretch; wherever the borders fall, it is masked as if it were one."""
    key = "-----BEGIN " + "PRIVATE KEY-----\nMIIE\nabcd\n-----END " + "PRIVATE KEY-----\n"
    parts = [
        f"{'line of a log ' * (gap // 14)}\n{SECRETS[name][1].format(SECRETS[name][0])}\n{key}"
        for name, gap in zip(names, gaps, strict=False)
    ]
    text = "".join(parts) * 4
    whole, facts = redact(text, BOOK.redactions)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "MARGIN", 600)
        patch.setattr(source, "CHUNK", 64)
        masker = Masker(BOOK.redactions)
        blocks = list(source.Source(iter([text.encode()]), masker, Limits()))
    assert "".join(block.text for block in blocks) == whole
    assert masker.facts() == facts
    assert len(blocks) > 1 or len(text) < 1300
