"""Plans of training runs: their files, and what is refused with which line."""

import pytest

from workbench.training import TrainingPlan, TrainingPlanError, plans, read_plan

PLAN = """\
# A small one.
[data]
name = "digits"
rows = 60

[network]
sizes = [64, 8, 10]

[training]
steps = 2
sample_rate = 0.5
expected_batch = 30
noise_multiplier = 1.0

[audit]
kind = "black-box"
record = { kind = "mislabeled", row = 7 }

[claim]
claim = "accountant"

[run]
models = 8
seed = 3
"""


def plan_of(tmp_path, text=PLAN):
    path = tmp_path / "plan.toml"
    path.write_text(text, encoding="utf-8")
    return read_plan(path)


def test_a_plan_is_what_its_file_says(tmp_path):
    plan = plan_of(tmp_path)
    assert plan.seed == 3
    assert plan.confidence == 0.95
    assert plan.audit.models == 8
    assert plan.audit.record.row == 7
    assert plan.audit.settings.network.sizes == (64, 8, 10)
    assert plan.claimed.pair == plan.audit.reference


@pytest.mark.parametrize("name", plans())
def test_bundled_plans_and_their_texts(tmp_path, name):
    plan = read_plan(name)
    again = plan_of(tmp_path, plan.to_toml())
    assert again.sections == plan.sections
    assert again.claimed == plan.claimed


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("steps = 2", "stepz = 2", 10, "did you mean 'steps'"),
        ("steps = 2", 'steps = "two"', 10, "steps must be"),
        ("steps = 2", "", 9, "training.steps is missing"),
        ("sizes = [64, 8, 10]", "sizes = [64, 8, 11]", 6, "classes"),
        ("sizes = [64, 8, 10]", 'sizes = "wide"', 7, "sizes"),
        ('name = "digits"', 'name = "digit"', 3, "data.name must be one of"),
        ("rows = 60", "rows = 6000", 4, "at most 1797"),
        ("expected_batch = 30", "expected_batch = 61", 12, "at most the 60 records"),
        ("sample_rate = 0.5", "sample_rate = 1.5", 11, "sample_rate must lie in (0, 1]"),
        ("noise_multiplier = 1.0", "noise_multiplier = 0.0", 20, "claim must be left out"),
        ('kind = "black-box"', 'kind = "black"', 16, "kind must be one of"),
        ("row = 7", "row = 99", 17, "below the 60 records"),
        ("row = 7", "rov = 7", 17, "did you mean 'row'"),
        ('claim = "accountant"', 'claim = "approx(2)"', 20, "approx takes"),
        ('claim = "accountant"', "claim = 3", 20, "claim must be text"),
        ('claim = "accountant"', 'claim = "accountant"\nconfidence = "high"', 21, "confidence"),
        ("seed = 3", 'seed = "three"', 24, "seed must be"),
        ("models = 8", 'models = "many"', 23, "models must be"),
        ('claim = "accountant"', 'clam = "accountant"', 20, "did you mean 'claim'"),
        ('claim = "accountant"', 'confidence = 95\nclaim = "accountant"', 20, "confidence must"),
        ("models = 8", "models = 2", 23, "models must be"),
        ("models = 8", "", 22, "models is missing"),
        ("seed = 3", "seed = -1", 24, "seed must be"),
        ("seed = 3", "seed = [1]", 24, "seed must be"),
        ("[run]", "[runs]", 22, "did you mean 'run'"),
        ("# A small one.", "data = 3\n# [data]", None, "[data]"),
        ('kind = "black-box"', 'kind = "black-box"\nmodels = 9', 17, "belongs to [run]"),
    ],
)
def test_a_bad_plan_is_refused_with_its_line(tmp_path, old, new, line, said):
    assert old in PLAN
    text = PLAN.replace(old, new, 1)
    if "data = 3" in text:
        text = text.replace('\n[data]\nname = "digits"\nrows = 60\n', "\n")
    with pytest.raises(TrainingPlanError) as refused:
        plan_of(tmp_path, text)
    message = str(refused.value)
    assert said in message
    if line is not None:
        assert f"line {line}:" in message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (PLAN.replace("steps = 2", "steps = = 2"), "line 10"),
        ("", r"the section \[data\] is missing"),
        ("\0", "no TOML file"),
    ],
)
def test_what_is_no_plan_at_all(tmp_path, text, said):
    with pytest.raises(TrainingPlanError, match=said):
        plan_of(tmp_path, text)


def test_a_missing_file_proposes_a_bundled_plan():
    with pytest.raises(TrainingPlanError, match="did you mean 'black-box'"):
        read_plan("blak-box")


def test_a_promise_that_is_not_kept_is_a_bug_with_a_claim(tmp_path):
    text = PLAN.replace("steps = 2", 'steps = 2\nbug = "no-noise"')
    plan = plan_of(tmp_path, text)
    assert plan.claimed is not None
    without = PLAN.replace("noise_multiplier = 1.0", "noise_multiplier = 0.0")
    assert plan_of(tmp_path, without.replace('[claim]\nclaim = "accountant"\n', "")).claimed is None


def test_a_plan_of_an_audit_has_its_sections(tmp_path):
    audit = plan_of(tmp_path).audit
    plan = TrainingPlan(audit, seed=5, claim="approx(2, 1e-5)", confidence=0.99)
    again = plan_of(tmp_path, plan.to_toml())
    assert (again.seed, again.claim, again.confidence) == (5, "approx(2, 1e-5)", 0.99)
    assert again.audit.parameters == audit.parameters
