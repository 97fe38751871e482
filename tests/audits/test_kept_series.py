"""Series in the database: positions are spent once, before anything is computed, and stay spent."""

import multiprocessing
from dataclasses import replace

import pytest
from helpers.series import audit_of_scores

import workbench as wb
from workbench.audits.archive import Archive
from workbench.audits.errors import ArchiveError
from workbench.audits.series.kept import KeptSeries
from workbench.audits.series.spending import confidence_at
from workbench.audits.storing.database import AuditsDatabase


def scores(seed):
    return wb.GaussianPair(1).sample(50, seed=seed)


@pytest.fixture
def archive():
    return Archive(AuditsDatabase.in_memory())


@pytest.fixture
def kept(archive):
    return archive._series


def test_a_series_is_made_where_it_is_missing_and_keeps_its_confidence(kept):
    assert kept.open("nightly").confidence == 0.95
    assert kept.open("release", 0.9).confidence == 0.9
    assert kept.open("release").confidence == 0.9
    assert kept.open("release", 0.9).confidence == 0.9
    with pytest.raises(ArchiveError, match=r"'release' has a confidence of 90% .* become 95%"):
        kept.open("release", 0.95)


def test_every_new_scores_get_the_next_position(kept):
    for k in (1, 2, 3):
        place = kept.reserve("nightly", scores(k))
        assert (place.position, place.confidence) == (k, confidence_at(k))
        assert place.series == "nightly"
    assert len(kept.open("nightly")) == 3
    assert kept.reserve("weekly", scores(1)).position == 1


def test_the_same_scores_have_the_same_position(kept):
    first = kept.reserve("nightly", scores(1))
    kept.reserve("nightly", scores(2))
    assert kept.reserve("nightly", scores(1)) == first
    assert len(kept.open("nightly")) == 2


def test_a_position_is_spent_before_anything_is_computed(kept):
    kept.reserve("nightly", scores(1))  # and then the program ended
    series = kept.open("nightly")
    assert series.audits[0].audit is None
    assert series.left == pytest.approx(0.025)
    assert kept.reserve("nightly", scores(2)).position == 2


def test_a_removed_audit_gives_nothing_back(kept, archive):
    place = kept.reserve("nightly", scores(1))
    audit = audit_of_scores(scores(1), place.confidence, ("gdp(1)",))
    key = archive.save(place.member(audit)).key
    assert kept.open("nightly").audits[0].audit.series == "nightly"
    archive.remove(key)
    series = kept.open("nightly")
    assert series.audits[0].audit is None
    assert series.left == pytest.approx(0.025)
    assert series.next_confidence == confidence_at(2)


def test_the_first_audit_of_a_position_stays(kept, archive):
    place = kept.reserve("nightly", scores(1))
    audit = audit_of_scores(scores(1), place.confidence)
    first = archive.save(place.member(replace(audit, name="first")))
    archive.save(place.member(replace(audit, name="second")))
    assert kept.open("nightly").audits[0].audit.key == first.key


def test_an_audit_at_another_confidence_is_no_member(kept):
    place = kept.reserve("nightly", scores(1))
    with pytest.raises(ValueError, match=r"made with confidence=0\.975, got 0\.95"):
        place.member(audit_of_scores(scores(1), 0.95))


@pytest.mark.parametrize("name", ["", "  ", "x" * 201, "a\0b", "\ud800"])
def test_names_that_cannot_be_kept(kept, name):
    with pytest.raises(ArchiveError, match="the name of a series"):
        kept.open(name)


@pytest.mark.parametrize("name", ["<b>x</b> **y** `z` \"'", "😀 é \u202e", "a\nb\x07", "x" * 200])
def test_any_other_text_is_a_name(kept, name):
    assert kept.reserve(name, scores(1)).position == 1
    assert kept.open(name).name == name


def reserve_many(folder, first):
    kept = KeptSeries(AuditsDatabase.in_folder(folder), {}.get)
    return [kept.reserve("nightly", scores(seed)).position for seed in range(first, first + 20)]


def test_programs_that_reserve_at_the_same_time_get_different_positions(tmp_path):
    KeptSeries(AuditsDatabase.in_folder(tmp_path), {}.get).open("nightly")
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        found = pool.starmap(reserve_many, [(tmp_path, first) for first in (0, 20, 40)])
    positions = sorted(position for some in found for position in some)
    assert positions == list(range(1, 61))


def test_programs_that_reserve_for_the_same_scores_get_the_same_position(tmp_path):
    KeptSeries(AuditsDatabase.in_folder(tmp_path), {}.get).open("nightly")
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        found = pool.starmap(reserve_many, [(tmp_path, 0)] * 3)
    assert found[0] == found[1] == found[2]
    assert sorted(found[0]) == list(range(1, 21))
