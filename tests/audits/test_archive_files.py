"""One audit as one file: what is exported comes back; files of strangers are refused in words."""

import io
import json
import zipfile
from dataclasses import replace
from hashlib import sha256

import pytest

import workbench as wb
from workbench.audits import package
from workbench.audits.attachment import Attachment

ATTACHED = (
    Attachment.of("file", "../../etc/passwd", b"1,2\n"),
    Attachment.of("table", "\udc80\0odd", b"PAR1", "data"),
)


@pytest.fixture
def exported(in_memory, page_audit):
    in_memory.save(page_audit, "<b>one</b> 😀", "a note", ["x"], attachments=ATTACHED)
    return in_memory.exported("<b>one</b> 😀")


def parts(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(files, hashes=True, **how):
    """A file of these parts, whose manifest has the hashes that they have now."""
    if hashes and len(files) > 1 and "manifest.json" in files:
        manifest = json.loads(files["manifest.json"])
        for name, content in files.items():
            if name in manifest["files"]:
                manifest["files"][name]["sha256"] = sha256(content).hexdigest()
        files = {**files, "manifest.json": json.dumps(manifest).encode()}
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for name, content in files.items():
            kind = zipfile.ZIP_STORED if name.startswith("att") else zipfile.ZIP_DEFLATED
            archive.writestr(name, content, how.get("compress_type", kind))
    return written.getvalue()


def changed(exported, part, /, **changes):
    """The file with changed fields of one part in JSON."""
    files = parts(exported)
    values = json.loads(files[part])
    return packed({**files, part: json.dumps({**values, **changes}).encode()})


# -- there and back --------------------------------------------------------------------------------


def test_an_exported_audit_comes_back_whole(exported, in_memory, tmp_path):
    there = wb.Workspace().audits
    (tmp_path / "one.audit.zip").write_bytes(exported)
    brought = there.add_file(tmp_path / "one.audit.zip")
    here = in_memory["<b>one</b> 😀"]
    assert brought.key == here.key
    assert brought.to_dict() == {**here.to_dict(), "imported": brought.imported.to_dict()}
    assert (brought.text, brought.sha256) == (here.text, here.sha256)
    assert len(brought.figures) == len(here.figures)
    assert there.attachments(brought.key) == ATTACHED
    assert there.exported(brought.key) == exported


def test_the_same_audit_is_there_once(exported, in_memory):
    there = wb.Workspace().audits
    first = there.add_file(exported)
    assert there.add_file(exported).key == first.key
    assert len(there) == 1
    there.remove(first.key)
    assert there.add_file(exported).key == first.key
    assert len(there) == 1  # it is in the list again
    assert in_memory.add_file(exported).key == first.key
    assert len(in_memory) == 1


def test_a_key_that_is_taken_stays_with_its_owner(exported, page_audit):
    there = wb.Workspace().audits
    brought = there.add_file(exported)
    other = there.add_file(changed(exported, "audit.json", name="another audit"))
    assert other.key != brought.key
    assert there[brought.key].name == "<b>one</b> 😀"


@pytest.mark.parametrize("key", ["../../x", "", 7, None, "x" * 10_000])
def test_keys_of_strangers_are_not_taken(exported, key):
    brought = wb.Workspace().audits.add_file(changed(exported, "audit.json", key=key))
    assert len(brought.key) == 16


def test_an_audit_of_a_stranger_hides_none_and_takes_no_position(exported, page_audit):
    there = wb.Workspace().audits
    mine = there.save(page_audit, "mine")
    there.series("nightly")
    there.reserve("nightly", wb.GaussianPair(1).sample(20, seed=1))
    hostile = changed(
        exported, "audit.json", previous=mine.key, series="nightly", position=1, name="theirs"
    )
    brought = there.add_file(hostile)
    assert [one.name for one in there] == ["theirs", "mine"]
    assert [one.name for one in there.versions("mine")] == ["mine"]
    assert there.search(series="nightly") == []
    assert there.series("nightly").audits[0].audit is None
    assert brought.previous == mine.key  # what it says of itself is kept as it was
    assert there.add_file(hostile).key == brought.key


# -- what is refused -------------------------------------------------------------------------------


def refused(content, said):
    archive = wb.Workspace().audits
    with pytest.raises(wb.ArchiveError, match=said):
        archive.add_file(content)
    assert len(archive) == 0


@pytest.mark.parametrize("content", [b"", b"PK", b"no zip file" * 100, b"\0" * 10_000])
def test_what_is_no_zip_file(content):
    refused(content, "no file of a saved audit, which is a zip file")


def test_a_zip_file_of_something_else():
    refused(packed({"a.txt": b"hello"}), r"the zip file holds 'a\.txt'; it is no saved audit")
    refused(packed({}), "no audit.json of ours")
    refused(packed({"manifest.json": b"{}"}), "no audit.json of ours")


@pytest.mark.parametrize(
    "name", ["../audit.json", "/etc/passwd", "attachments/../../x", "attachments/1", "C:\\x"]
)
def test_names_with_paths_are_refused(exported, name):
    refused(packed({**parts(exported), name: b"x"}), "it is no saved audit|is damaged")


def test_a_part_that_is_there_twice(exported):
    content = io.BytesIO(exported)
    with (
        pytest.warns(UserWarning, match="Duplicate name"),
        zipfile.ZipFile(content, "a") as archive,
    ):
        archive.writestr("audit.json", b"{}")
    refused(content.getvalue(), r"holds audit\.json twice")


@pytest.mark.parametrize("name", ["audit.json", "figures.json", "attachments/0001"])
def test_a_part_that_was_changed(exported, name):
    files = parts(exported)
    files[name] = files[name].replace(b"1", b"2")
    refused(packed(files, hashes=False), f"{name} changed since it was written")


def test_every_cut_of_a_file_is_refused(exported):
    for cut in range(0, len(exported), 997):
        refused(exported[:cut], "no file of a saved audit|is damaged")


def test_every_flipped_byte_is_refused_or_harmless(exported, in_memory):
    here = in_memory.search()[0]
    for place in range(0, len(exported), 53):
        content = bytearray(exported)
        content[place] ^= 0xFF
        archive = wb.Workspace().audits
        try:
            brought = archive.add_file(bytes(content))
        except wb.ArchiveError:
            continue  # said in words
        assert brought.sha256 == in_memory[here.key].sha256  # such as the time of a part


def test_parts_that_are_missing_or_too_many(exported):
    files = parts(exported)
    refused(packed({**files, "attachments/0003": b"x"}), "there are others than its list names")
    del files["attachments/0002"]
    refused(packed(files), "parts are missing")


@pytest.mark.parametrize("version", [2, 10**9, "2", None])
def test_a_file_of_a_newer_version(exported, version):
    refused(changed(exported, "manifest.json", format=version), "newer version of the workbench")


def test_a_card_of_a_newer_version(exported):
    refused(changed(exported, "audit.json", card=2), r"newer version of the workbench \(card 2")


ODD_CARDS = [
    {"name": 7},
    {"note": None},
    {"tags": "x"},
    {"tags": [1]},
    {"settings": []},
    {"numbers": [{}]},
    {"numbers": {}},
    {"numbers": None},
    {"data": [{"parameter": "x"}]},
    {"data": [[]]},
    {"sentences": [{"name": "x", "text": 1}]},
    {"made": "yesterday"},
    {"made": "2026-01-01T00:00:00"},
    {"software": {"python": 3}},
    {"plan": {}},
    {"deviations": [{"what": 1, "planned": "", "done": "", "voids": 1}]},
    {"verdicts": [1]},
    {"position": "first"},
    {"live": "x"},
    {"figures": []},
    {"unknown": 1},
    {"code": ["import os"]},
]


@pytest.mark.parametrize("change", ODD_CARDS, ids=lambda change: str(change)[:40])
def test_cards_with_other_fields(exported, change):
    refused(changed(exported, "audit.json", **change), "this is no card of an audit")


@pytest.mark.parametrize(
    "bound",
    [{"value": "NaN"}, {"value": "1.5"}, {"confidence": "x"}, {"n_p": None}, {"quantity": "x"}, {}],
    ids=str,
)
def test_cards_with_bounds_that_are_none(exported, bound):
    numbers = json.loads(parts(exported)["audit.json"])["numbers"]
    numbers[0]["bound"] = {**numbers[0]["bound"], **bound} if bound else {}
    refused(changed(exported, "audit.json", numbers=numbers), "this is no card of an audit")


@pytest.mark.parametrize(
    "figures",
    [
        "{}",
        "[1]",
        "[" * 100_000,
        '[{"name": "x"}]',
        '[{"name": 1, "title": "", "figure": {"data": [], "layout": {}}}]',
        '[{"name": "x", "title": "", "figure": {"data": 1, "layout": {}}}]',
        '[{"name": "x", "title": "", "figure": {"data": [], "layout": {}}, "span": "6"}]',
        '[{"name": "x", "title": "", "figure": {"data": [{"x": {"@array": ["O", [1], "AAAA"]}}]}}]',
        '[{"name": "x", "title": "", "figure": {"data": [{"@array": ["<f8", [9], "AAAA"]}]}}]',
        '[{"name": "x", "title": "", "figure": {"data": [{"@array": ["<f8", [-1], "?"]}]}}]',
        '[{"name": "x", "title": "", "figure": {"data": [{"@array": [1]}]}}]',
        '[{"float": "x"}]',
        "not json",
    ],
    ids=lambda text: text[:50],
)
def test_figures_that_are_none(exported, figures):
    files = {**parts(exported), "figures.json": figures.encode()}
    refused(packed(files), "no figures of an audit|is damaged")


@pytest.mark.parametrize("manifest", ["[]", "7", "null", "{", "[" * 100_000, '{"format": 1}'])
def test_manifests_that_are_none(exported, manifest):
    files = {**parts(exported), "manifest.json": manifest.encode()}
    refused(packed(files, hashes=False), "is damaged")


@pytest.mark.parametrize(
    "attachments",
    [
        [{"file": "manifest.json", "kind": "file", "name": "x", "data": ""}],
        [{"file": "attachments/0009", "kind": "file", "name": "x", "data": ""}],
        [{"file": "attachments/0001", "kind": "program", "name": "x", "data": ""}],
        [{"file": "attachments/0001", "kind": "file", "name": 1, "data": ""}],
        [1],
        {},
        None,
    ],
    ids=str,
)
def test_attachments_that_are_none(exported, attachments):
    content = changed(exported, "manifest.json", attachments=attachments)
    if attachments == {}:
        assert wb.Workspace().audits.add_file(content).name
    else:
        refused(content, "is damaged")


def test_files_that_unpack_to_much_more_are_not_unpacked(exported, monkeypatch):
    monkeypatch.setattr(package, "MOST_JSON", 2**20)
    files = parts(exported)
    bomb = packed({**files, "figures.json": b"[" + b" " * 2**21 + b"]"})
    assert len(bomb) < len(exported) + 10_000
    refused(bomb, r"figures\.json has more than 1 MB")
    squeezed = packed(
        {**files, "attachments/0001": b"0" * 2**21}, compress_type=zipfile.ZIP_DEFLATED
    )
    refused(squeezed, "attachments/0001 is packed in another way")
    refused(packed(files, compress_type=zipfile.ZIP_LZMA), "is packed in another way")


def test_a_part_that_lies_about_its_size(exported):
    place = exported.rindex(b"PK\x01\x02")
    content = bytearray(exported)
    content[place + 24 : place + 28] = (2**31).to_bytes(4, "little")
    refused(bytes(content), "is damaged")


def test_a_part_with_a_password(exported):
    place = exported.index(b"PK\x01\x02")
    content = bytearray(exported)
    content[place + 8] |= 1
    refused(bytes(content), "is damaged: .*encrypted")


def test_files_that_are_too_large(exported, monkeypatch):
    monkeypatch.setattr(package, "MOST_BYTES", 1000)
    refused(exported, "the file has more than 0 MB")


def test_too_many_parts():
    files = {f"attachments/{number:04}": b"" for number in range(1100)}
    refused(packed(files), "too many parts")


def test_a_file_that_is_not_there(in_memory, tmp_path):
    for path in (tmp_path / "nothing", tmp_path, "\0"):
        with pytest.raises(wb.ArchiveError, match="cannot be read"):
            in_memory.add_file(path)
    with pytest.raises(TypeError, match="file must be a path, or the bytes of a file"):
        in_memory.add_file(7)


def test_a_place_where_no_file_can_be_written(exported, in_memory, tmp_path):
    with pytest.raises(wb.ArchiveError, match="cannot be written: Is a directory"):
        in_memory.export(in_memory.search()[0].key, tmp_path)


def test_what_is_too_large_for_a_file_is_said_at_the_export(in_memory, page_audit, monkeypatch):
    in_memory.save(replace(page_audit, code="x" * 100_000), "one")
    monkeypatch.setattr(package, "MOST_JSON", 50_000)
    with pytest.raises(wb.ArchiveError, match="too much for a file"):
        in_memory.exported("one")
