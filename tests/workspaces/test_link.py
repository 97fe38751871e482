"""Links: every setting comes back, private data never leave, and no damage goes unnoticed."""

import base64
import random
import zlib
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import workbench as wb
from workbench.workspaces import link as link_module
from workbench.workspaces.errors import LinkError, WorkspaceError
from workbench.workspaces.link import DataReference, PageLink, read_link
from workbench.workspaces.workspace import Workspace

SETTINGS = {
    "threshold": 0.30000000000000004,
    "log_delta": -5.0,
    "label": "π ≥ 1",
    "more": [1, None],
}
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda one: st.lists(one, max_size=4) | st.dictionaries(st.text(max_size=5), one, max_size=4),
    max_leaves=10,
)  # fmt: skip


def private_dataset():
    workspace = Workspace()
    return workspace, workspace.add_scores(wb.Scores([1.0, 2.0], [0.0, 1.0]), "secret losses")


def a_link():
    _, dataset = private_dataset()
    return PageLink("scores", SETTINGS, (DataReference.of("data", dataset),))


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=20), st.dictionaries(st.text(max_size=10), PLAIN, max_size=6))
def test_a_link_comes_back_as_it_was(page, values):
    link = PageLink(page, values)
    assert read_link(link.text()) == link


def test_numbers_come_back_to_the_last_digit():
    assert read_link(a_link().text()).settings["threshold"] == 0.30000000000000004


def test_a_link_names_private_data_by_hash_and_never_by_key():
    workspace, dataset = private_dataset()
    link = PageLink.of("scores", {**SETTINGS, "data": dataset.key}, {"data": dataset})
    text = link.text()
    raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    said = zlib.decompress(raw[9:]).decode()
    assert dataset.key not in said
    assert dataset.sha256 in said
    assert read_link(text).data[0].find(workspace) == dataset
    assert read_link(text).data[0].find(Workspace()) is None


def test_whoever_has_the_same_content_has_the_data_set():
    _, dataset = private_dataset()
    other = Workspace()
    same = other.add_scores(wb.Scores([1.0, 2.0], [0.0, 1.0]), "my copy")
    assert DataReference.of("data", dataset).find(other) == same


@pytest.mark.parametrize("key", ["example:gaussian", "draw:gaussian?mu=1.0&n=200&seed=3"])
def test_examples_and_draws_are_named_by_key(key):
    dataset = Workspace().dataset(key)
    reference = read_link(PageLink.of("scores", {}, {"data": dataset}).text()).data[0]
    assert reference.key == key
    assert reference.find(Workspace()) == dataset


def test_a_private_key_is_refused_wherever_it_is_put():
    _, dataset = private_dataset()
    with pytest.raises(LinkError, match="example or a draw only"):
        DataReference("data", "x", dataset.sha256, dataset.key)
    with pytest.raises(LinkError, match="belongs to the data of a link"):
        PageLink("scores", {"data": dataset.key}, (DataReference.of("data", dataset),))


def test_every_cut_is_noticed():
    text = a_link().text()
    for length in range(len(text)):
        with pytest.raises(LinkError, match="cut or changed"):
            read_link(text[:length])


def test_every_changed_character_is_noticed():
    text, rng = a_link().text(), random.Random(0)
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    for place in range(len(text) - 1):  # the last character may have bits that say nothing
        other = rng.choice([letter for letter in letters if letter != text[place]])
        with pytest.raises(LinkError, match="cut or changed"):
            read_link(text[:place] + other + text[place + 1 :])


def made_by(version, content):
    body = bytes([version]) + content
    raw = link_module._checksum(body) + body
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def test_a_newer_version_is_named():
    with pytest.raises(LinkError, match="newer version"):
        read_link(made_by(2, b"anything"))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no zlib",
        zlib.compress(b"no json"),
        zlib.compress(b"[]"),
        zlib.compress(b'{"page": 1, "settings": {}, "data": []}'),
        zlib.compress(b'{"page": "x", "settings": [], "data": []}'),
        zlib.compress(b'{"page": "x", "settings": {}}'),
        zlib.compress(b'{"page": "x", "settings": {}, "data": [["a"]]}'),
        zlib.compress(b'{"page": "x", "settings": {}, "data": [["a", "b", "c", "d"]]}'),
        zlib.compress(b'{"page": "x", "settings": {}, "data": [[1, 2, 3, 4]]}'),
        zlib.compress(b'{"page": "x", "settings": {}, "data": [], "files": [1]}'),
        zlib.compress(b'{"page": "x", "settings": {}, "data": [], "files": "a"}'),
        zlib.compress(b"[" * 100_000),
        zlib.compress(b" " * 50_000_000),
    ],
    ids=range(14),
)
def test_a_forged_link_is_refused(content):
    with pytest.raises(LinkError):
        read_link(made_by(1, content))


@pytest.mark.parametrize("text", ["", "a", "====", "a b", "ä" * 20, "A" * 200_000, None, 7])
def test_other_text_is_refused(text):
    with pytest.raises(LinkError, match="cut or changed"):
        read_link(text)


def test_settings_that_json_does_not_hold_are_refused():
    for value in (float("nan"), object(), {1, 2}):
        with pytest.raises(LinkError, match="do not fit into a link"):
            PageLink("scores", {"x": value}).text()
    with pytest.raises(LinkError, match="do not fit into a link"):
        PageLink("scores", {"x": "y" * 2_000_000}).text()


@pytest.mark.parametrize(
    "key", ["example:nothing", "draw:gaussian?mu=77&n=100&seed=0", "draw:nothing"]
)
def test_a_reference_to_an_impossible_draw_says_so(key):
    with pytest.raises(WorkspaceError):
        DataReference("data", "x", key=key).find(Workspace())


def test_a_link_names_the_files_of_its_data_and_links_of_earlier_versions_name_none():
    reference = DataReference("dataset", "losses", "0" * 64, "", {}, ("in.npy", "out.npy"))
    text = PageLink("scores", {}, (reference,)).text()
    assert read_link(text).data == (reference,)
    data = f'["dataset", "losses", "{"0" * 64}", "", {{}}]'
    earlier = f'{{"page": "scores", "settings": {{}}, "data": [{data}]}}'
    (found,) = read_link(made_by(1, zlib.compress(earlier.encode()))).data
    assert found == replace(reference, files=())
    with pytest.raises(LinkError, match="names of files"):
        DataReference("dataset", "losses", "0" * 64, files=(1,))
