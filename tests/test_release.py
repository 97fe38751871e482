"""What a release states, and the tools that build and check one."""

import re
import tarfile
import zipfile
from pathlib import Path

import pytest
import yaml
from packaging.version import Version

import workbench as wb
from tools import matrix, release

ROOT = Path(__file__).parents[1]
PROJECT = matrix.project()
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
CITATION = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
PAPER = (ROOT / "paper" / "paper.md").read_text(encoding="utf-8")


def test_the_changelog_and_the_citation_state_the_version():
    assert f"\n## {wb.__version__} (" in CHANGELOG
    assert f"\nversion: {wb.__version__}\n" in CITATION


def test_a_citation_leads_to_the_software():
    stated = yaml.safe_load(CITATION)
    bound = wb.epsilon_lower_bound(wb.GaussianPair(1).sample(100, seed=1), delta=1e-5)
    entry = bound.cite().split("@software{dp_audit_workbench,")[1]
    assert re.search(r"title += \{(.+)\},", entry)[1].replace("{DP}", "DP") == stated["title"]
    assert re.search(r"author += \{\{(.+)\}\},", entry)[1] == stated["authors"][0]["name"]
    assert f"version = {{{wb.__version__}}}" in entry
    assert f"https://pypi.org/project/{PROJECT['name']}/" in entry
    assert {"cff-version", "message", "abstract", "license", "date-released"} <= stated.keys()


# -- the matrix -----------------------------------------------------------------------------------


def test_classifiers_name_the_versions_from_the_oldest_on():
    versions = matrix.pythons(PROJECT)
    assert f">={versions[0]}" == PROJECT["requires-python"]
    numbers = [int(one.removeprefix("3.")) for one in [*versions, *matrix.NEXT]]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def test_the_matrix_leaves_out_what_make_quick_leaves_out():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    quick = re.search(r"^quick:.*?\n\n", makefile, re.MULTILINE | re.DOTALL)[0]
    for word in matrix.QUICK:
        assert word in quick.replace('"', ""), word


def test_the_matrix_installs_every_extra_of_users():
    assert set(PROJECT["optional-dependencies"]) == {*matrix.extras(PROJECT), *matrix.NOT_TRIED}
    tools = matrix.tools_for_tests(PROJECT)
    assert "pytest" in tools
    assert not [one for one in tools if one.startswith(PROJECT["name"])]


def test_every_requirement_of_users_has_a_lower_bound():
    named = {
        re.match(r"[\w.-]+", one)[0]
        for group in [
            PROJECT["dependencies"],
            *(PROJECT["optional-dependencies"][extra] for extra in matrix.extras(PROJECT)),
        ]
        for one in group
    } - {PROJECT["name"]}
    bounds = matrix.lower_bounds(PROJECT)
    assert {one.lower().replace("_", "-") for one in named} == bounds.keys()


def test_the_pinned_versions_keep_the_lower_bounds():
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    pinned = dict(re.findall(r"^([\w.-]+)==(\S+)", text, re.MULTILINE))
    pinned = {name.lower().replace("_", "-"): Version(one) for name, one in pinned.items()}
    for name, bound in matrix.lower_bounds(PROJECT).items():
        assert pinned[name] >= bound, name


def test_a_lower_bound_that_nothing_can_be_tested_with_is_named():
    stated = {
        "name": "x",
        "dependencies": ["numpy>=2.0", "pandas>=2.2", "lazy_loader>=0.4"],
        "optional-dependencies": {"dev": ["pytest"], "lab": ["x[dev]", "numpy>=2.1"]},
    }
    installed = "numpy==2.1.0\npandas==2.2.2\nlazy-loader==0.4\n"
    assert list(matrix.untried(stated, installed)) == [
        "pyproject.toml states pandas>=2.2, and the lowest version that can be installed is 2.2.2: "
        "state pandas>=2.2.2"
    ]
    (missing,) = matrix.untried(stated, "numpy==2.1.0\npandas==2.2\n")
    assert (
        missing == "pyproject.toml states lazy-loader>=0.4, and lazy-loader is not installed at all"
    )


# -- release --------------------------------------------------------------------------------------


def test_every_extra_has_a_line_that_uses_it():
    tried = {release.CORE, *matrix.extras(PROJECT)}
    assert tried <= release.SMOKE.keys()
    for line in release.SMOKE.values():
        compile(line, "<smoke>", "exec")


def test_notes_are_the_section_of_the_version():
    text = "# Changelog\n\n## Unreleased\n\n- new\n\n## 0.2.0 (2027-01-01)\n\n- a\n- b\n"
    assert release.notes("0.2.0", text) == "# dp-audit-workbench 0.2.0\n\n- a\n- b\n"
    assert release.notes("0.3.0", text) == "# dp-audit-workbench 0.3.0\n\n- new\n"
    with pytest.raises(release.ReleaseError, match=r"says nothing about 0\.3\.0: add a section"):
        release.notes("0.3.0", text.replace("- new", ""))
    assert "First release" in release.notes("0.1.0", CHANGELOG)


def test_what_is_left_to_do_before_an_upload():
    changelog = "# Changelog\n\n## 0.1.0 (2026-01-01)\n\n- a\n"
    stated = {"urls": {"Repository": "https://example.org/x"}}
    citation = "title: X\nrepository-code: https://example.org/x\n"
    assert not list(release.left_to_do(stated, "0.1.0", changelog, citation))
    (address,) = release.left_to_do({}, "0.1.0", changelog, "title: X\n")
    assert "state the address of the repository" in address
    (other,) = release.left_to_do({}, "0.1.0", changelog, citation)
    assert "as CITATION.cff does" in other
    (dated,) = release.left_to_do(stated, "0.2.0", changelog, citation)
    assert "'## 0.2.0 (DATE)'" in dated
    unreleased = f"# Changelog\n\n## Unreleased\n\n- b\n\n{changelog}"
    (new,) = release.left_to_do(stated, "0.1.0", unreleased, citation)
    assert "a new version" in new


def test_addresses_agree_where_they_are_stated():
    repository = yaml.safe_load(CITATION).get("repository-code")
    assert PROJECT.get("urls", {}).get("Repository") == repository


@pytest.fixture
def archives(tmp_path):
    """A wheel and an sdist with what each has to have."""
    licenses = [path.name for path in ROOT.glob("workbench/assets/browser/vendor/*-LICENSE")]
    source = ["README.md", "CHANGELOG.md", "CITATION.cff", "LICENSE", "pyproject.toml",
              "workbench/__init__.py", "data/a.csv", "tests/test_a.py"]  # fmt: skip
    built = ["workbench/__init__.py", "workbench/_data/a.csv"]
    info = "dp_audit_workbench-0.1.0.dist-info/licenses"
    built += [f"{info}/LICENSE", *(f"{info}/workbench/{name}" for name in licenses)]

    def make(source=source, built=built):
        wheel, sdist = tmp_path / "x-0.1.0-py3-none-any.whl", tmp_path / "x-0.1.0.tar.gz"
        with zipfile.ZipFile(wheel, "w") as opened:
            for name in built:
                opened.writestr(name, "")
        with tarfile.open(sdist, "w:gz") as opened:
            for name in source:
                opened.addfile(tarfile.TarInfo(f"x-0.1.0/{name}"))
        return wheel, sdist

    make.source, make.built = source, built
    return make


def test_a_complete_release_has_no_faults(archives):
    assert list(release.faults(*archives())) == []


def test_what_is_missing_or_too_much_is_named(archives, monkeypatch):
    built = [name for name in archives.built if not name.endswith((".csv", "LICENSE"))]
    found = list(release.faults(*archives(built=[*built, "tests/test_a.py", "workbench/a.pyc"])))
    assert "the wheel has no data/a.csv" in found
    assert "the wheel has no license LICENSE" in found
    assert "the wheel has tests/test_a.py" in found
    assert "the wheel has workbench/a.pyc" in found
    (missing,) = release.faults(*archives(source=archives.source[1:]))
    assert missing == "the sdist has no README.md"
    monkeypatch.setitem(release.MOST, ".whl", 10)
    (large,) = release.faults(*archives())
    assert "more than 10" in large


# -- the paper ------------------------------------------------------------------------------------


def test_the_paper_has_the_length_and_the_sections_of_joss():
    assert len(PAPER.split()) <= 1000
    for section in ("Summary", "Statement of need", "State of the field", "References"):
        assert f"\n# {section}\n" in PAPER
    assert {"title", "tags", "authors", "affiliations", "date", "bibliography"} <= (
        yaml.safe_load(PAPER.split("---")[1]).keys()
    )


def test_the_paper_cites_what_its_bibliography_has():
    entries = re.findall(r"^@\w+\{(\S+),$", (ROOT / "paper/paper.bib").read_text("utf-8"), re.M)
    cited = set(re.findall(r"(?<![\w.])@([a-z]\w+)", PAPER))
    assert cited == set(entries)
    assert len(entries) == len(set(entries))


def test_systems_are_compared_in_the_versions_of_the_paper():
    page = (ROOT / "docs/comparison.md").read_text(encoding="utf-8")
    bibliography = (ROOT / "paper/paper.bib").read_text(encoding="utf-8")
    for commit in re.findall(r"[Cc]ommit (\w+)\}", bibliography):
        assert commit in page
    assert "riskcal | 1.5.1" in page


def test_the_example_of_the_comparison_has_these_bounds():
    page = (ROOT / "docs/comparison.md").read_text(encoding="utf-8")
    scores = wb.example("gaussian")
    assert (scores.n_p, scores.n_q) == (10_000, 10_000)
    for guarantee in ("simultaneous", "held-out"):
        bound = wb.epsilon_lower_bound(scores, delta=1e-5, guarantee=guarantee)
        assert f"| {guarantee} | {bound:.2f} |" in page, bound  # rounded to the safe side


def test_the_policies_are_there():
    for name in ("CODE_OF_CONDUCT.md", "SECURITY.md", "CONTRIBUTING.md", "LICENSE"):
        assert (ROOT / name).stat().st_size > 500
