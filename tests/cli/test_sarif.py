"""SARIF 2.1.0: the required properties, a rule per claim, and results at the score file."""

import json
import re
from urllib.parse import unquote

import jsonschema
import pytest

import workbench as wb
from workbench.cli import main
from workbench.scores.examples import card

GAUSSIAN = card("gaussian").path

_TEXT = {"type": "object", "properties": {"text": {"type": "string", "minLength": 1}},
         "required": ["text"], "additionalProperties": False}  # fmt: skip
_LOCATION = {
    "type": "object",
    "properties": {
        "physicalLocation": {
            "type": "object",
            "properties": {
                "artifactLocation": {
                    "type": "object",
                    "properties": {
                        "uri": {"type": "string", "pattern": r"^[A-Za-z0-9_.~!$&'()*+,;=:@/%-]+$"},
                        "uriBaseId": {"const": "%SRCROOT%"},
                    },
                    "required": ["uri"],
                    "additionalProperties": False,
                },
                "region": {
                    "type": "object",
                    "properties": {"startLine": {"type": "integer", "minimum": 1}},
                    "additionalProperties": False,
                },
            },
            "required": ["artifactLocation"],
            "additionalProperties": False,
        }
    },
    "required": ["physicalLocation"],
    "additionalProperties": False,
}
_LEVEL = {"enum": ["none", "note", "warning", "error"]}

#: What the standard requires of the parts that are written, and no other property.
SCHEMA = {
    "type": "object",
    "properties": {
        "$schema": {"type": "string"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "properties": {
                    "tool": {
                        "type": "object",
                        "properties": {
                            "driver": {
                                "type": "object",
                                "properties": {
                                    "name": {"type": "string"},
                                    "version": {"type": "string"},
                                    "rules": {
                                        "type": "array",
                                        "uniqueItems": True,
                                        "items": {
                                            "type": "object",
                                            "properties": {
                                                "id": {"type": "string"},
                                                "name": {"type": "string"},
                                                "shortDescription": _TEXT,
                                                "fullDescription": _TEXT,
                                                "help": _TEXT,
                                                "defaultConfiguration": {
                                                    "type": "object",
                                                    "properties": {"level": _LEVEL},
                                                    "additionalProperties": False,
                                                },
                                            },
                                            "required": ["id", "shortDescription", "help"],
                                            "additionalProperties": False,
                                        },
                                    },
                                },
                                "required": ["name"],
                                "additionalProperties": False,
                            }
                        },
                        "required": ["driver"],
                        "additionalProperties": False,
                    },
                    "invocations": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {
                                "executionSuccessful": {"type": "boolean"},
                                "exitCode": {"type": "integer"},
                            },
                            "required": ["executionSuccessful"],
                            "additionalProperties": False,
                        },
                    },
                    "automationDetails": {"type": "object"},
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "properties": {"type": "object"},
                    "results": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {
                                "ruleId": {"type": "string"},
                                "ruleIndex": {"type": "integer", "minimum": 0},
                                "level": _LEVEL,
                                "message": _TEXT,
                                "locations": {"type": "array", "items": _LOCATION},
                                "relatedLocations": {"type": "array", "items": _LOCATION},
                                "partialFingerprints": {
                                    "type": "object",
                                    "additionalProperties": {"type": "string"},
                                },
                            },
                            "required": ["message"],
                            "additionalProperties": False,
                        },
                    },
                },
                "required": ["tool"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["version", "runs"],
    "additionalProperties": False,
}


@pytest.fixture
def sarif(capsys):
    def run(*arguments):
        status = main(["audit", *map(str, arguments), "--format", "sarif"])
        log = json.loads(capsys.readouterr().out)
        jsonschema.validate(log, SCHEMA)
        (found,) = log["runs"]
        rules = [rule["id"] for rule in found["tool"]["driver"]["rules"]]
        for result in found["results"]:
            assert rules[result["ruleIndex"]] == result["ruleId"]
        assert found["invocations"][0]["exitCode"] == status
        return status, found, rules

    return run


@pytest.fixture
def losses(tmp_path):
    leaky = wb.GaussianPair(1).sample(400, seed=0)
    path = tmp_path / "losses.csv"
    rows = [f"{-x},1" for x in leaky.p] + [f"{-x},0" for x in leaky.q]
    path.write_text("\n".join(["loss,is_member", *rows]))
    return path


def test_the_schema_refuses_what_lacks_a_part():
    for broken in ({"version": "2.1.0"}, {"version": "2.0.0", "runs": []}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(broken, SCHEMA)


def test_a_rule_per_claim_and_a_result_per_refuted_one(sarif):
    claims = ("--claim", "gdp(1)", "--claim", "approx(1, 1e-5)", "--claim", "pure(0)")
    status, run, rules = sarif(GAUSSIAN, *claims)
    assert status == 1
    assert rules == ["claim/gdp(1)", "claim/approx(1, 1e-5)", "claim/pure(0)", "direction-in-doubt"]
    assert [(one["ruleId"], one["level"]) for one in run["results"]] == [
        ("claim/approx(1, 1e-5)", "error"),
        ("claim/pure(0)", "error"),
    ]
    assert "is refuted with 95% confidence" in run["results"][0]["message"]["text"]


def test_too_few_samples_are_a_warning(sarif, tmp_path):
    path = tmp_path / "few.csv"
    path.write_text("in,out\n" + "\n".join(f"{i},{i + 0.5}" for i in range(20)))
    status, run, _ = sarif(path, "--claim", "pure(1)")
    assert status == 3
    assert [one["level"] for one in run["results"]] == ["warning"]
    assert run["results"][0]["message"]["text"].startswith("Too few samples")


def test_a_doubtful_direction_is_a_warning(sarif, losses):
    status, run, _ = sarif(losses, "--claim", "approx(0.5, 1e-5)")
    assert status == 4
    (result,) = run["results"]
    assert (result["ruleId"], result["level"]) == ("direction-in-doubt", "warning")
    assert "--smaller-is-member" in result["message"]["text"]


def test_a_claim_that_stands_has_a_rule_and_no_result(sarif):
    status, run, rules = sarif(GAUSSIAN, "--claim", "gdp(1)")
    assert (status, run["results"], rules[0]) == (0, [], "claim/gdp(1)")


def artifact(run, number=0):
    (place,) = run["results"][number]["locations"]
    return place["physicalLocation"]["artifactLocation"]


def test_results_point_to_the_file_in_the_sources(sarif, losses, monkeypatch):
    monkeypatch.chdir(losses.parent)
    claim = ("--smaller-is-member", "--claim", "pure(0.1)")
    _, run, _ = sarif("losses.csv", *claim)
    assert artifact(run) == {"uri": "losses.csv", "uriBaseId": "%SRCROOT%"}
    _, run, _ = sarif(losses, *claim)
    assert artifact(run) == {"uri": "losses.csv", "uriBaseId": "%SRCROOT%"}
    monkeypatch.chdir(losses.parent.parent)
    _, run, _ = sarif(losses, *claim)
    assert artifact(run)["uri"] == f"{losses.parent.name}/losses.csv".replace("[", "%5B").replace(
        "]", "%5D"
    )


def test_a_file_elsewhere_has_its_whole_address(sarif, losses, tmp_path_factory, monkeypatch):
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    _, run, _ = sarif(losses, "--smaller-is-member", "--claim", "pure(0.1)")
    assert unquote(artifact(run)["uri"]) == f"file://{losses}"


def test_two_files_are_a_location_and_a_related_one(sarif, tmp_path):
    for name, shift in (("in", 5), ("out", 0)):
        rows = "\n".join(str(i + shift) for i in range(40))
        (tmp_path / f"{name}.csv").write_text("score\n" + rows)
    _, run, _ = sarif(tmp_path / "in.csv", tmp_path / "out.csv", "--claim", "pure(9)")
    (result,) = run["results"]
    assert [len(result[one]) for one in ("locations", "relatedLocations")] == [1, 1]


def test_names_of_files_are_escaped(sarif, losses, monkeypatch):
    own = losses.with_name("a b#c?d%20é😀.csv")
    losses.rename(own)
    monkeypatch.chdir(own.parent)
    _, run, _ = sarif(own.name, "--smaller-is-member", "--claim", "pure(0.1)")
    assert unquote(artifact(run)["uri"]) == own.name
    assert re.fullmatch(r"[\w.%-]+", artifact(run)["uri"], re.ASCII)


def test_nothing_in_a_message_is_a_link_or_a_placeholder(sarif, losses, tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "home"))
    name = "[click](javascript:alert(1)) {0} \\"
    more = ("--smaller-is-member", "--keep-scores", "--claim", "gdp(3)")
    sarif(losses, "--save", name, *more)
    strong = wb.GaussianPair(4).sample(400, seed=1)
    path = tmp_path / "strong.csv"
    path.write_text("\n".join(["in,out", *(f"{a},{b}" for a, b in zip(strong.p, strong.q,
                                                                      strict=True))]))  # fmt: skip
    status, run, _ = sarif(path, "--baseline", name)
    wb.workspace().close()
    assert status == 1
    (result,) = run["results"]
    assert r"“\[click\](javascript:alert(1)) {{0}} \\”" in result["message"]["text"]
    assert run["properties"]["baseline"]["name"] == name
