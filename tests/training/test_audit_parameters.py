"""Audits as plain parameters: there and back, and what bad ones are told."""

import copy
import dataclasses
import json

import numpy as np
import pytest

from benchmarks.odd_calls import ODD
from workbench import training
from workbench.training import (
    AUDITS,
    AuditedRecord,
    BlackBox,
    DPSGDSettings,
    InitialWeights,
    LossScore,
    Network,
    ParameterError,
    make_audit,
)

DATA = training.labeled_data("digits").take(range(60))
SETTINGS = DPSGDSettings(
    Network((64, 10), loss="squared-error"),
    steps=3,
    sample_rate=0.2,
    noise_multiplier=1.5,
    expected_batch=10,
    optimizer="sgd",
    bug="scaled-noise",
    noise_scale=0.25,
)

#: What each kind needs besides; those that are not here do with settings, data and models.
MORE = {
    "black-box": {
        "record": AuditedRecord("mislabeled", 4),
        "initial": InitialWeights("fixed", seed=7),
        "score": LossScore("cross-entropy", minus_initial=True),
    },
    "one-shot": {"audited": 20},
    "one-run": {"canaries": 12, "canary": "row"},
    "many-records": {"records": 4},
    "white-box-one-run": {"canaries": 12},
    "federated": {"canaries": 6, "statistic": "largest-step"},
}
every_kind = pytest.mark.parametrize("kind", AUDITS)

MINIMAL = {
    "kind": "black-box",
    "models": 8,
    "data": {"name": "digits", "rows": 60},
    "settings": {
        "network": {"sizes": [64, 10]},
        "steps": 3,
        "sample_rate": 0.2,
        "noise_multiplier": 1,
        "expected_batch": 10,
    },
}


def changed(*changes):
    """The least parameters with some changed: ((key, …), value)."""
    parameters = copy.deepcopy(MINIMAL)
    for key, value in changes:
        table = parameters
        for part in key[:-1]:
            table = table[part]
        table[key[-1]] = value
    return parameters


# -- there and back -------------------------------------------------------------------------------


@every_kind
def test_parameters_make_the_same_audit(kind):
    audit = AUDITS[kind](SETTINGS, DATA, models=6, **MORE.get(kind, {}))
    written = json.loads(json.dumps(audit.parameters))
    again = make_audit(written)
    assert type(again) is type(audit)
    assert again.parameters == audit.parameters
    assert again.settings == SETTINGS
    first, second = (a.score_model(1, a.generator(5, 1)) for a in (audit, again))
    assert np.array_equal(first.score, second.score)
    assert np.array_equal(first.included, second.included)


@every_kind
def test_a_kind_says_what_it_is(kind):
    audit = AUDITS[kind]
    assert audit.kind == kind
    assert audit.title[0].isupper()
    assert audit.about.endswith("?")
    assert audit.sampling in ("independent runs", "one run")


def test_what_has_a_default_may_be_missing():
    audit = make_audit(MINIMAL)
    assert isinstance(audit, BlackBox)
    assert audit.record == AuditedRecord()
    assert audit.settings.optimizer == "adam"


@pytest.mark.parametrize("rows", [60, [5, 3, 17], 0])
def test_data_are_a_name_and_rows(rows):
    whole = training.labeled_data("digits")
    data = whole.take(range(rows) if isinstance(rows, int) else rows)
    audit = training.FederatedCanaries(SETTINGS, data, models=1, canaries=10)
    assert audit.parameters["data"] == {"name": "digits", "rows": rows}
    assert np.array_equal(make_audit(audit.parameters).data.x, data.x)


def test_all_rows_are_meant_where_none_are_named():
    audit = make_audit(changed((("data",), {"name": "digits"})))
    assert audit.data.size == 1797


def test_data_of_ones_own_are_given_again():
    own = training.LabeledData(np.ones((20, 64)), np.zeros(20, int), 10, name="mine")
    audit = BlackBox(SETTINGS, own, models=4)
    assert audit.parameters["data"] == {"name": "mine", "records": 20}
    with pytest.raises(ParameterError, match="'mine' of 20 records; give them as data="):
        make_audit(audit.parameters)
    assert make_audit(audit.parameters, data=own).data is own


@pytest.mark.parametrize(
    "change",
    [
        {"y": (DATA.y + 1) % 10},
        {"x": DATA.x + 1},
        {"name": "letters"},
        {"rows": DATA.rows + 1797},
    ],
)
def test_changed_records_are_not_said_to_be_rows_of_the_data_set(change):
    audit = BlackBox(SETTINGS, dataclasses.replace(DATA, **change), models=4)
    assert audit.parameters["data"]["records"] == 60
    assert "rows" not in audit.parameters["data"]


def test_records_that_were_changed_are_data_of_ones_own():
    joined = DATA.joined(DATA.record(np.zeros(64), 0))
    assert joined.rows is None
    assert DATA.take([3, 4]).joined(DATA.take([9])).rows.tolist() == [3, 4, 9]
    assert DATA.without(1).rows.tolist() == [0, *range(2, 60)]
    assert DATA.relabeled(1).rows is None


# -- bad parameters -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "key", "says"),
    [
        ((("kind",), "blackbox"), ("kind",), "kind must be one of 'black-box'"),
        ((("model",), 8), ("model",), "'model' is no parameter; did you mean 'models'?"),
        ((("models",), "many"), ("models",), "models must be a whole number, got 'many'"),
        ((("models",), 8.5), ("models",), "models must be a whole number, got 8.5"),
        ((("models",), True), ("models",), "models must be a whole number, got True"),
        (
            (("settings", "noise_multiplier"), "1"),
            ("settings", "noise_multiplier"),
            "settings.noise_multiplier must be a number, got '1'",
        ),
        (
            (("settings", "network"), {"sizes": 64}),
            ("settings", "network", "sizes"),
            "settings.network.sizes must be a list, got 64",
        ),
        (
            (("score",), {"minus_initial": 1}),
            ("score", "minus_initial"),
            "score.minus_initial must be true or false, got 1",
        ),
        ((("models",), 2), ("models",), "models must be a whole number of at least 4, got 2"),
        ((("settings",), 3), ("settings",), "settings must be a table of network, steps"),
        (
            (("settings", "step"), 3),
            ("settings", "step"),
            "'step' is no parameter in settings; did you mean 'steps'?",
        ),
        ((("settings", "steps"), 0), ("settings", "steps"), "steps must be a whole number"),
        (
            (("settings", "network"), {"sizes": [64, 0, 10]}),
            ("settings", "network", "sizes"),
            "sizes must be a whole number",
        ),
        (
            (("settings", "network"), {"sizes": [30, 2]}),
            ("settings", "network"),
            "takes 30 features",
        ),
        (
            (("settings", "expected_batch"), 61),
            ("settings", "expected_batch"),
            "at most the 60 records",
        ),
        ((("settings", "bug"), "bugs"), ("settings", "bug"), "bug must be one of 'none'"),
        ((("data",), "digits"), ("data",), "data must be a table such as"),
        ((("data",), {}), ("data", "name"), "data.name must be one of 'digits'"),
        ((("data", "name"), "mnist"), ("data", "name"), "got 'mnist'"),
        ((("data", "row"), 5), ("data", "row"), "did you mean 'rows'?"),
        ((("data", "rows"), 1798), ("data", "rows"), "at most 1797"),
        ((("data", "rows"), [1, 1]), ("data", "rows"), "has a row twice"),
        ((("data", "rows"), [1797]), ("data", "rows"), "from 0 to 1796"),
        ((("data", "rows"), 1.5), ("data", "rows"), "must be how many of the first rows"),
        ((("record",), {"kind": "fake"}), ("record", "kind"), "kind must be one of 'row'"),
        ((("record",), {"row": 60}), ("record", "row"), "below the 60 records"),
        ((("initial",), {"steps": -1}), ("initial", "steps"), "steps must be a whole number"),
        ((("score",), {"loss": "none"}), ("score", "loss"), "loss must be one of"),
    ],
)
def test_a_bad_parameter_is_told_with_its_key(change, key, says):
    with pytest.raises(ParameterError) as told:
        make_audit(changed(change))
    assert says in str(told.value)
    assert told.value.key == key


@pytest.mark.parametrize("missing", [("models",), ("settings", "steps"), ("data",)])
def test_a_missing_parameter_is_named(missing):
    parameters = changed()
    table = parameters
    for part in missing[:-1]:
        table = table[part]
    del table[missing[-1]]
    with pytest.raises(ParameterError, match=rf"^{'.'.join(missing)} is missing"):
        make_audit(parameters)


@every_kind
def test_odd_parameters_end_in_an_audit_or_in_an_error_with_a_key(kind):
    whole = AUDITS[kind](SETTINGS, DATA, models=6, **MORE.get(kind, {})).parameters
    shared = ("settings", "data") if kind != "black-box" else ()
    keys = [key for key in whole if key not in ("kind", *shared)]
    places = [(key,) for key in keys]
    places += [(key, inner) for key in keys if isinstance(whole[key], dict) for inner in whole[key]]
    refusals = []
    for place in places:
        for make in ODD.values():
            parameters = copy.deepcopy(whole)
            table = parameters
            for part in place[:-1]:
                table = table[part]
            table[place[-1]] = make()
            try:
                audit = make_audit(parameters)
            except ParameterError as error:
                refusals.append(error)
            else:
                assert make_audit(json.loads(json.dumps(audit.parameters))).models == audit.models
    assert len(refusals) > 50
    assert {error.key[0] for error in refusals if error.key} <= set(whole)
    assert max(len(str(error)) for error in refusals) < 500
