"""The documentation site: complete, and linked from the pages once it is built."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tornado.httpclient import AsyncHTTPClient, HTTPClientError

from workbench.pages.glossary import GLOSSARY, TERMS
from workbench.server.app import Tab, make_server
from workbench.server.handlers import static

ROOT = Path(__file__).parents[2]


@pytest.fixture
def public_names(monkeypatch):
    """The extension of the site that checks the API reference."""
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "extensions"))
    import public_names

    yield public_names
    del sys.modules["public_names"]


def test_every_public_name_is_in_one_group_of_the_reference(public_names):
    assert public_names.faults() == []


def test_a_missing_and_an_unknown_name_are_caught(public_names, monkeypatch, tmp_path):
    reference = tmp_path / "index.rst"
    text = public_names.REFERENCE.read_text(encoding="utf-8")
    reference.write_text(text.replace("   Bound\n", "   Bond\n   Bond\n"), encoding="utf-8")
    monkeypatch.setattr(public_names, "REFERENCE", reference)
    assert public_names.faults() == [
        "Bound is in no group",
        "Bond is not public",
        "Bond is listed 2 times",
    ]


def test_the_glossary_of_the_site_is_that_of_the_pages(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "extensions"))
    import terms

    sections = terms.sections()
    texts = [section.astext() for section in sections]
    assert [section.next_node(terms.nodes.title).astext() for section in sections] == list(GLOSSARY)
    for text, topic in zip(texts, GLOSSARY.values(), strict=True):
        for term in topic:
            assert f"{term.name}\n\n{term.text}" in text
    ids = {id for part in sections for node in part.findall(terms.nodes.term) for id in node["ids"]}
    assert {f"term-{key}" for key in TERMS} <= ids


@pytest.fixture
def fetch():
    """``fetch(path)`` asks a server of one page that was made for this request."""

    def ask(path: str) -> str:
        from workbench.pages.counts import CountsPage

        serving = make_server([Tab(CountsPage)])
        serving.start()

        async def request() -> str:
            answer = await AsyncHTTPClient().fetch(f"http://localhost:{serving.port}{path}")
            return answer.body.decode()

        try:
            return serving.io_loop.run_sync(request)
        finally:
            serving.http.stop()

    return ask


def test_the_pages_link_to_a_site_that_was_built(fetch, monkeypatch, tmp_path):
    (tmp_path / "index.html").write_text("the site", encoding="utf-8")
    monkeypatch.setattr(static, "DOCUMENTATION", tmp_path)
    assert 'href="./docs/index.html"' in fetch("/")
    assert fetch("/docs/") == fetch("/docs/index.html") == "the site"


def test_without_a_site_there_is_no_link(fetch, monkeypatch, tmp_path):
    monkeypatch.setattr(static, "DOCUMENTATION", tmp_path)
    assert "./docs/" not in fetch("/")
    with pytest.raises(HTTPClientError, match="404"):
        fetch("/docs/index.html")


@pytest.mark.parametrize(
    ("text", "loads"),
    [
        ('<script async src="https://cdn.example.org/mathjax.js">', True),
        ('<link href="//fonts.example.org/a.css" rel="stylesheet">', True),
        ("@font-face { src: url(https://example.org/a.woff2) }", True),
        ('<a href="https://arxiv.org/abs/2406.04827">', False),
        ('<script src="_static/theme.js">', False),
    ],
)
def test_what_a_page_would_load_from_another_host_is_found(monkeypatch, text, loads):
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "extensions"))
    import offline

    assert (offline.loads_from_elsewhere(text) is not None) == loads
