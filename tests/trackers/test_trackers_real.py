"""Bounds in the real MLflow and Weights & Biases, where they are installed, without a network."""

import json

import pytest

import workbench as wb

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

BOUND = wb.epsilon_from_counts(tp=400, fp=100, tn=400, fn=100, delta=1e-5)
KEY = "dp_audit/epsilon_lower_delta_1e-05_95pct_pointwise"


@pytest.fixture
def mlflow(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = pytest.importorskip("mlflow", exc_type=ImportError)
    pytest.importorskip("sqlalchemy")
    found.set_tracking_uri(f"sqlite:///{tmp_path}/mlflow.db")
    return found


def test_mlflow_has_the_bound_and_its_card(mlflow):
    with mlflow.start_run() as run:
        assert wb.trackers.log(BOUND, mlflow, step=3).waiting == 0
        estimate = wb.gdp_fit(wb.example("gaussian"), method="tv")
        assert wb.trackers.log([BOUND, estimate], run, name="again").waiting == 0
    client = mlflow.tracking.MlflowClient()
    found = client.get_run(run.info.run_id).data
    assert found.metrics == {
        KEY: BOUND.value,
        f"dp_audit/again/{KEY.partition('/')[2]}": BOUND.value,
        "dp_audit/again/mu_if_gaussian_estimate": estimate.value,
    }
    assert found.tags[f"{KEY}.guarantee"] == "pointwise"
    assert [one.step for one in client.get_metric_history(run.info.run_id, KEY)] == [3]
    path = (
        client.download_artifacts(run.info.run_id, f"{KEY}.json")
        if hasattr(client, "download_artifacts")
        else mlflow.artifacts.download_artifacts(
            run_id=run.info.run_id, artifact_path=f"{KEY}.json"
        )
    )
    with open(path, encoding="utf-8") as file:
        assert json.load(file)["bound"]["guarantee"] == "pointwise"


def test_what_waited_for_mlflow_is_there_once(mlflow, monkeypatch, tmp_path):
    client = mlflow.tracking.MlflowClient
    with mlflow.start_run() as run:
        monkeypatch.setattr(client, "log_text", None)  # after the numbers
        assert wb.trackers.log(BOUND, run, step=1).waiting == 1
        assert wb.trackers.log(BOUND, run, step=2).waiting == 2
        monkeypatch.undo()
        monkeypatch.chdir(tmp_path)
        assert wb.trackers.flush(run) == 0
    history = client().get_metric_history(run.info.run_id, KEY)
    assert [one.step for one in history] == [1, 2]


def test_wandb_has_the_bound_and_its_card(tmp_path, monkeypatch):
    wandb = pytest.importorskip("wandb", exc_type=ImportError)
    monkeypatch.chdir(tmp_path)
    settings = wandb.Settings(mode="offline", silent=True)
    run = wandb.init(project="audits", dir=str(tmp_path), settings=settings)
    try:
        run.log({"loss": 0.5}, step=100)
        assert wb.trackers.log(BOUND, wandb, step=3).waiting == 0
        assert wb.trackers.log(BOUND, run, step=4).waiting == 0
        assert run.summary[KEY] == BOUND.value
        assert run.summary[f"{KEY}.guarantee"] == "pointwise"
        assert run.summary["dp_audit/step"] == 4
        with pytest.raises(TypeError, match="only a bound"):
            wb.trackers.log(1.3, run)
    finally:
        run.finish()
    assert wb.trackers.log(BOUND, run, step=5).waiting == 1  # a run that is over takes nothing
