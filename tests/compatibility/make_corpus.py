"""Writes what `test_corpus.py` opens, with the code of the version that wrote it.

Run it with that version on the path, from any folder (about a minute)::

    git worktree add --detach /tmp/old 8b96c56
    PYTHONPATH=/tmp/old .venv/bin/python tests/compatibility/make_corpus.py FOLDER

It replaces the folder. Keys, times and tokens differ each time, numbers do not. `corpus/` belongs
to 8b96c56: the files of a later version go to another folder beside it.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from contextlib import redirect_stdout
from dataclasses import replace
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

HOME = tempfile.TemporaryDirectory(prefix="corpus-")
os.environ["WORKBENCH_HOME"] = str(Path(HOME.name) / "own")

import numpy as np  # noqa: E402
from recorded import given, numbers_in, run, shown_by  # noqa: E402

import workbench as wb  # noqa: E402
from workbench.cli import main  # noqa: E402
from workbench.pages.auditing.page_of import page_of  # noqa: E402
from workbench.pages.core.page import Page  # noqa: E402
from workbench.pages.inputs.code import code_of  # noqa: E402
from workbench.pages.inputs.data import DataChoice  # noqa: E402
from workbench.pages.registry import PAGES  # noqa: E402
from workbench.scores.layouts.layout import Layout  # noqa: E402
from workbench.scores.parsing.source import read_table  # noqa: E402
from workbench.server.homes import person_folder  # noqa: E402
from workbench.server.operations.backup import back_up  # noqa: E402
from workbench.server.people.accounts import Accounts  # noqa: E402
from workbench.server.people.person import Role  # noqa: E402
from workbench.server.sharing.share import ShareKind  # noqa: E402
from workbench.server.sharing.shares import Shares  # noqa: E402
from workbench.server.storing.database import ServerDatabase  # noqa: E402
from workbench.views.view import View  # noqa: E402
from workbench.workspaces.home import kept_secret, owner_key, workspace  # noqa: E402
from workbench.workspaces.link import PageLink  # noqa: E402
from workbench.workspaces.reading import Reading  # noqa: E402
from workbench.workspaces.workspace import Workspace  # noqa: E402

#: The password of all accounts of the corpus, which guard nothing.
PASSWORD = "correct horse battery"

#: A small training run.
TRAINING = """\
[data]
name = "breast-cancer"
rows = 60

[network]
sizes = [30, 2]

[training]
steps = 4
sample_rate = 0.5
expected_batch = 30
noise_multiplier = 0.5
learning_rate = 0.1

[audit]
kind = "black-box"
record = { kind = "mislabeled", row = 7 }

[claim]
claim = "accountant"

[run]
models = 60
seed = 5
"""

#: Settings by page, as links have them: a choice by its label.
LINKS: dict[str, tuple[str, dict[str, Any]]] = {
    "scores of an example, claimed pair": (
        "scores",
        {
            "data": "example:gaussian",
            "log_delta": -3.0,
            "reference_kind": "Claimed (ε, δ)",
            "reference_claimed_epsilon": 2.0,
            "reference_log_claimed_delta": -4.0,
            "threshold": 0.8,
            "bin_rule": "Fixed width",
            "bin_width": 0.25,
            "fixed_range": True,
            "range_low": -3.0,
            "range_high": 4.0,
            "interval": "Jeffreys",
            "fit_method": "at the threshold",
            "log_floor": -2.0,
        },
    ),
    "scores of a file, DP-SGD": (
        "scores",
        {
            "data": "losses",
            "confidence": "99%",
            "reference_kind": "DP-SGD",
            "reference_multiplier": 1.5,
            "reference_log_rate": -1.5,
            "reference_log_steps": 2.0,
            "reference_neighboring": "substitute",
            "bin_rule": "Fixed number",
            "bin_count": 35,
            "threshold": -0.5,
            "interval": "Wilson",
            "fit_method": "over a range",
        },
    ),
    "scores of clusters, table of claims": (
        "scores",
        {
            "data": "runs",
            "log_delta": -2.0,
            "reference_kind": "Claimed table of (ε, δ)",
            "reference_table": [["claims.csv", b"epsilon,delta\n0.5,0.01\n1,0.001\n2,0.00001\n"]],
            "bin_rule": "Equal probability",
            "interval": "Katz-log",
        },
    ),
    "scores that are drawn, one question": (
        "scores",
        {
            "data": "draw:laplace?mu=1.5&n=1000&seed=7",
            "asked": "μ",
            "reference_kind": "Laplace",
            "reference_mu": 1.5,
            "reference_times": 2,
            "bin_rule": "Knuth",
        },
    ),
    "counts": (
        "counts",
        {
            "tp": 731,
            "fn": 69,
            "fp": 12,
            "tn": 1188,
            "sided": "two-sided interval",
            "confidence": "99.9%",
            "log_delta": -7.5,
            "log_prior": -3.0,
        },
    ),
    "one run, counts": (
        "onerun",
        {
            "source": "Counts",
            "canaries": 5000,
            "guessed": 1500,
            "right": 1320,
            "included": 2480,
            "family": "Laplace",
            "tuned": "Independent canaries with abstention",
            "confidence": "90%",
        },
    ),
    "one run, simulated": (
        "onerun",
        {
            "mechanism": "DP-SGD with a bug: averages before clipping",
            "leak": 2.0,
            "claim": "4",
            "log_canaries": 2.5,
            "log_coordinates": 3.0,
            "seed": 11,
            "rule": "highest and lowest scores, abstain on the others",
            "share_in": 20.0,
            "share_out": 10.0,
            "family": "Subsampled Gaussian",
            "q": 0.5,
            "log_delta": -4.0,
        },
    ),
    "records": (
        "records",
        {
            "data": "draw:table?leaking=8&models=64&mu=4.0&records=60&seed=3",
            "epsilon": 2.0,
            "rank": 3,
            "fpr": 0.1,
            "log_delta": -3.0,
            "confidence": "90%",
            "scores_are": "log-odds",
        },
    ),
    "mechanism": (
        "mechanism",
        {
            "claim_kind": "(ε, δ)-DP",
            "epsilon": 0.7,
            "log_delta": -4.0,
            "mechanism": "Gaussian mean, noise scaled by the true count (NonDPGaussian1)",
            "datasets": "Grid search",
            "relation": "Replacing a record",
            "max_records": 6,
            "renyi": False,
            "mmd": False,
            "trials": 5,
            "log_samples": 3.5,
            "seed": 4,
            "anytime": False,
            "fresh_seed": 9,
            "confidence": "99%",
        },
    ),
    "watch": (
        "watch",
        {
            "data": "draw:gaussian?mu=2.0&n=1000&seed=5",
            "log_rows": 2.75,
            "claim": 1.5,
            "log_delta": -2.0,
            "confidence": "99%",
        },
    ),
    "compare": (
        "compare",
        {
            "a_data": "losses",
            "b_data": "draw:randomized-response?epsilon=2.0&delta=0.1&n=500&seed=8",
            "log_delta": -1.5,
            "confidence": "90%",
        },
    ),
    "families": (
        "family",
        {"data": "losses", "family": "Subsampled Gaussian", "q": 0.5, "log_delta": -3.0},
    ),
    "selection": (
        "selection",
        {
            "runs_kind": "Poisson",
            "log_mean": 1.5,
            "base_kind": "DP-SGD",
            "log_noise": 1.0,
            "log_rate": -1.5,
            "steps": 200,
            "reduction": "central limit",
            "log_delta": -6.0,
            "log_n": 5.0,
            "seed": 3,
            "outcome_epsilon": 2.0,
        },
    ),
    "plan": (
        "plan",
        {
            "pair_kind": "Randomized response",
            "pair_epsilon": 2.5,
            "pair_pure_delta": 0.05,
            "log_delta": -4.0,
            "confidence": "99%",
            "planned_name": "nightly",
            "planned_data": "losses of the nightly run",
            "planned_direction": "smaller = member",
            "planned_sampling": "independent runs",
            "planned_fixes": "a threshold and bins",
            "planned_threshold": 0.25,
            "planned_bins": 12,
            "planned_low": -2.0,
            "planned_high": 2.0,
            "planned_interval": "Clopper–Pearson",
            "method": "pointwise: threshold fixed in advance",
            "target": 1.0,
            "power": 0.9,
            "log_n": 2.75,
        },
    ),
    "training": (
        "train",
        {
            "data": "Breast cancer",
            "records": 120,
            "hidden": 8,
            "steps": 10,
            "rate": 0.25,
            "noise": 1.5,
            "bug": "Noise scaled by s",
            "noise_scale": 0.3,
            "shown_by": "my settings",
            "kind": "White-box: many models, one canary",
            "statistic": "Sum over the steps",
            "canary_norm": 2.0,
            "log_models": 2.0,
            "seed": 6,
        },
    ),
    "known pairs": (
        "pairlab",
        {
            "pair_kind": "Gaussian",
            "pair_mu": 0.75,
            "releases": 3,
            "log_n": 2.5,
            "log_floor": -3.0,
            "log_delta": -2.0,
            "confidence": "90%",
            "seed": 12,
        },
    ),
    "coverage": (
        "coveragelab",
        {
            "setting": "Ties",
            "group": "approximate intervals",
            "log_n_p": 2.25,
            "log_n_q": 2.5,
            "log_delta": -3.0,
            "confidence": "99%",
            "seed": 2,
        },
    ),
}

#: Subjects of views in a notebook, as expressions, and the state that the notebook has them in.
NOTEBOOKS: dict[str, tuple[str, dict[str, Any]]] = {
    "an example": (
        'wb.explore(wb.example("ties"), show=("histogram", "tradeoff", "epsilon", "tpr"))',
        {"threshold": 3.0, "log_delta": -3.0, "interval": "wilson", "bin_rule": "count"},
    ),
    "scores given in Python": (
        "wb.explore(scores)",
        {"reference_kind": "claimed-mu", "reference_mu": 2.0, "bin_width": 0.5},
    ),
    "counts": (
        "wb.explore(wb.Counts(tp=90, fp=4, tn=96, fn=10))",
        {"log_delta": -2.0, "sided": "two", "confidence": 0.9},
    ),
    "bins by a rule": (
        "wb.explore(scores)",
        {"bin_rule": "fd", "fixed_range": True, "interval": "jeffreys", "log_delta": -3.0},
    ),
    "a pair": (
        "wb.explore(wb.RandomizedResponsePair(1.5, 0.05))",
        {"releases": 2, "log_n": 2.75, "pair_epsilon": 2.0},
    ),
    "families": (
        'wb.explore_family(wb.example("laplace"), "laplace")',
        {"log_delta": -4.0, "confidence": 0.99},
    ),
    "two sets": (
        "wb.explore_compare(a, b)",
        {"log_delta": -2.0, "confidence": 0.9},
    ),
    "selection": (
        "wb.explore(wb.selection.Poisson(20))",
        {"mu": 1.25, "log_delta": -7.0},
    ),
}


def losses(members: int, others: int, seed: int, shift: float = 0.9) -> tuple[str, bytes]:
    """A file of losses with labels, and ties among them; those of members are smaller."""
    rng = np.random.default_rng(seed)
    p, q = rng.normal(0, 1, members).round(2), rng.normal(shift, 1.1, others).round(2)
    rows = [*(f"{x},yes" for x in p), *(f"{x},no" for x in q)]
    return "losses.csv", ("loss,trained_on\n" + "\n".join(rows) + "\n").encode()


def runs(seed: int) -> tuple[str, bytes]:
    """Two columns with several rows of each run."""
    rng = np.random.default_rng(seed)
    rows = [
        f"{rng.normal(m, 1):.3f},{m},{m}-{r}" for r in range(60) for m in (0, 1) for _ in range(3)
    ]
    return "runs.csv", ("score,member,run\n" + "\n".join(rows) + "\n").encode()


def add(own: Workspace, file: tuple[str, bytes], name: str, **reading: Any) -> Any:
    """The data set of a file."""
    table = read_table(file[1], filename=file[0])
    layout = reading.pop("layout", None)
    if layout is not None:
        reading["layout"] = Layout(**layout)
    return own.add([table], Reading(**reading), name, [file[0]])


def fill(own: Workspace) -> None:
    """The data sets that links, audits and states of pages are about."""
    add(own, losses(150, 170, 1), "losses", larger_is_member=False, sampling="independent runs")
    clusters = {
        "kind": "score and label",
        **{name: name for name in ("score", "member")},
        "member_value": "1",
        "cluster": "run",
    }
    add(own, runs(2), "runs", layout=clusters, sampling="clustered", cluster_rule="max")


def set_up(page: Page, own: Workspace, settings: Mapping[str, Any]) -> View:
    """A view of a page that somebody has set up."""
    view = View(page, partial(code_of, page))
    wanted = dict(settings)
    for name, value in settings.items():
        if isinstance(page.param[name], DataChoice) and ":" not in value:
            wanted[name] = own.dataset(value).key
        if isinstance(value, list):
            wanted[name] = [[n, len(c), own.keep_file(n, c)] for n, c in value]
    lost = page.restore(wanted, own.file)
    if lost:
        raise SystemExit(f"{type(page).__name__}: not restored: {lost}")
    return view


def link_of(name: str, page: Page, own: Workspace) -> str:
    """The text of the address."""
    choices = [one for one in page.param if isinstance(page.param[one], DataChoice)]
    data = {one: own.dataset(getattr(page, one)) for one in choices}
    return PageLink.of(name, page.settings(), data).text()


def write(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(content, ensure_ascii=False, indent=None, separators=(",", ":"))
    path.write_text(text + "\n", encoding="utf-8")


def pack(folder: Path, to: Path) -> None:
    """A folder as a compressed archive."""
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.make_archive(str(to), "xztar", folder)


# -- what is written -------------------------------------------------------------------------------


def links(to: Path, own: Workspace) -> None:
    found = {}
    for name, (kind, settings) in LINKS.items():
        view = set_up(PAGES[kind].kind(workspace=own), own, settings)
        found[name] = {
            "page": kind,
            "text": link_of(kind, view.page, own),
            "settings": view.page.settings(),
            "code": view.to_code(),
            "from_code": run(view.to_code()),
            "shown": shown_by(view.page),
        }
    write(to / "links.json", found)


def notebooks(to: Path) -> None:
    found = {}
    for name, (subject, spec) in NOTEBOOKS.items():
        view = eval(subject, given())
        for setting, value in spec.items():
            setattr(view, setting, value)
        kept = view.spec()
        found[name] = {
            "subject": subject,
            "spec": json.loads(json.dumps(kept)),
            "code": view.to_code(),
            "from_code": run(view.to_code()),
            "shown": shown_by(view.page),
        }
    write(to / "notebooks.json", found)


def audits(to: Path, own: Workspace) -> None:
    registered = wb.plan(
        "release", "losses of the release", threshold=0.3, larger_is_member=False,
        sampling="independent runs", delta=1e-4, interval="clopper-pearson",
        claim="approx(1, 1e-4)", workspace=own,
    )  # fmt: skip
    add(
        own, losses(120, 130, 3, 1.4), "release losses", larger_is_member=False,
        sampling="independent runs",
    )  # fmt: skip
    planned = PAGES["scores"].kind(workspace=own)
    planned.follow(own.dataset("release losses").key)
    planned.plan = registered.sha256
    views = {"a plan": View(planned, partial(code_of, planned))}
    chosen = (
        *("scores of a file, DP-SGD", "scores of clusters, table of claims", "counts"),
        *("one run, counts", "records", "compare", "selection", "known pairs"),
    )
    for name in chosen:
        kind, settings = LINKS[name]
        views[name] = set_up(PAGES[kind].kind(workspace=own), own, settings)
    kind, settings = LINKS["mechanism"]
    tested = set_up(PAGES[kind].kind(workspace=own), own, settings | {"trials": 2})
    tested.search()
    views["mechanism"] = tested
    found = {}
    for name, view in views.items():
        saved = view.save(name, f"how it was: {name}", ["old", view.page.title], True, "Ada")
        again = page_of(saved, own)
        found[name] = {
            "key": saved.key,
            "page": saved.page,
            "numbers": {one.name: one.to_dict() for one in saved.numbers},
            "shown": shown_by(again),
        }
    version = views["counts"]
    version.tp = 740
    own.audits.save(version.audit("Ben"), "counts", previous="counts")
    own.audits.series("nightly", 0.9)
    for seed in (1, 2):
        own.audits.reserve("nightly", wb.GaussianPair(1).sample(40, seed=seed))
    for name in ("scores of a file, DP-SGD", "records", "mechanism"):
        path = to / "packages" / f"{name.split()[0]}.zip"
        path.parent.mkdir(parents=True, exist_ok=True)
        own.audits.export(name, path)
        write(path.with_suffix(".json"), own.audits[name].to_dict())
    series = own.audits.series("nightly")
    write(
        to / "audits.json",
        {
            "audits": found,
            "versions": [one.name for one in own.audits.versions("counts")],
            "series": {
                "confidence": series.confidence,
                "spent": series.spent,
                "next": series.next_confidence,
                "levels": [one.confidence for one in series],
            },
            "plan": registered.to_dict(),
            "plan_label": registered.label,
        },
    )


def workspaces(to: Path, folder: Path) -> None:
    """Folders of several people, each with something else in it."""
    found = {}

    def keep(name: str, own: Workspace, *pages: str) -> None:
        own.flush()
        found[name] = {
            "datasets": [
                {"name": one.name, "sha256": one.sha256, "n_p": one.n_p, "n_q": one.n_q,
                 "reading": one.reading.to_dict(), "reread": one.reread}
                for one in own.own
            ],
            "current": own.current and own.dataset(own.current).name,
            "table": own.current_table and own.dataset(own.current_table).name,
            "shown": {},
        }  # fmt: skip
        for page in pages:
            opened = PAGES[page].kind(workspace=own)
            opened.follow(own.current_table if opened.takes == "table" else own.current)
            state = own.page_state(page, opened.data_key) or {}
            lost = opened.restore(state, own.file)
            found[name]["shown"][page] = {"state": state, "lost": lost, **shown_by(opened)}
        own.close()
        pack(folder / name, to / "workspaces" / name.replace(" ", "-"))

    def begin(name: str) -> Workspace:
        own = workspace(folder / name)
        fill(own)
        return own

    def leave(own: Workspace, name: str, settings: Mapping[str, Any]) -> None:
        """The state in which somebody leaves a page."""
        page = PAGES[name].kind(workspace=own)
        if "data" not in settings:
            page.follow(own.current_table if page.takes == "table" else own.current)
        set_up(page, own, settings)
        own.keep_page_state(name, page.settings(), page.data_key)

    own = begin("scores")
    key = own.dataset("losses").key
    own.choose(key)
    leave(own, "scores", LINKS["scores of a file, DP-SGD"][1])
    leave(own, "family", LINKS["families"][1])
    leave(own, "compare", LINKS["compare"][1])
    keep("scores", own, "scores", "family", "compare")

    own = begin("read in another way")
    key = own.dataset("losses").key
    own.choose(key)
    own.reread(key, replace(own.dataset(key).reading, larger_is_member=True), seen=True)
    own.rename(own.dataset("runs").key, "renamed runs")
    leave(own, "scores", {"threshold": 0.5, "interval": "Wilson", "bin_rule": "Wand"})
    keep("read in another way", own, "scores")

    own = begin("removed")
    own.remove(own.dataset("runs").key)
    own.choose("draw:laplace?mu=1.5&n=500&seed=9")
    leave(own, "counts", LINKS["counts"][1])
    leave(own, "onerun", LINKS["one run, counts"][1])
    keep("removed", own, "scores", "counts", "onerun")

    own = begin("a table")
    rng = np.random.default_rng(5)
    member = rng.random((40, 12)) < 0.5
    scores = rng.normal(0, 1, member.shape) + 2 * member * (np.arange(12) < 3)
    table = wb.ScoreTable(scores, member, name="shadow models")
    own.choose(own.add_table(table, "shadow models").key)
    leave(own, "records", {"epsilon": 0.5, "rank": 2, "log_delta": -2.0})
    keep("a table", own, "records")

    own = begin("a plan and a series")
    wb.plan("later", "what comes", bins={"bins": 10, "range": [-3, 3]}, n_p=50, n_q=50,
            workspace=own)  # fmt: skip
    own.audits.series("weekly", 0.99)
    own.audits.save(wb.audit(wb.Counts(tp=9, fp=1, tn=9, fn=1)), "small")
    own.audits.save(wb.audit(wb.Counts(tp=8, fp=1, tn=9, fn=2)), "removed")
    own.audits.remove("removed")
    scores_given = wb.Scores(rng.normal(1, 1, 60), rng.normal(0, 1, 70), sampling="one run")
    own.choose(own.add_scores(scores_given, "given").key)
    leave(own, "scores", {"asked": "ε at this δ", "log_delta": -2.0, "confidence": "90%"})
    found_plans = [one.to_dict() for one in own.audits.plans]
    keep("a plan and a series", own, "scores")
    found["a plan and a series"]["plans"] = found_plans

    own = workspace(folder / "empty")
    own.keep_page_state("selection", {"runs_kind": "Fixed", "mu": 2.0, "log_delta": -4.0}, "")
    keep("empty", own, "selection")
    write(to / "workspaces.json", found)


def homes(to: Path, folder: Path) -> None:
    """The folder of a server with accounts, shares and links, and a backup of it."""
    home = folder / "served"
    own = workspace(home)
    fill(own)
    own.audits.save(wb.audit(wb.Counts(tp=90, fp=4, tn=96, fn=10)), "of the owner")
    owner_key(home)
    kept_secret(home / "server" / "secret")
    database = ServerDatabase(home / "server")
    accounts = Accounts(database)
    roles = {"Anna": Role.EDITOR, "Ben": Role.EDITOR, "Vera": Role.VIEWER, "Ada": Role.ADMIN}
    keys = {name: accounts.add(name, role, PASSWORD).key for name, role in roles.items()}
    accounts.sign_in_external("google", "subject-1", "Gil", Role.VIEWER)
    theirs = workspace(person_folder(home / "server", keys["Anna"]))
    fill(theirs)
    theirs.choose(theirs.dataset("losses").key)
    saved = theirs.audits.save(wb.audit(wb.Counts(tp=80, fp=14, tn=86, fn=20)), "of Anna")
    shares = Shares(database)
    data = theirs.dataset("losses").key
    shares.add(keys["Anna"], ShareKind.DATA, data, keys["Ben"])
    shares.add(keys["Anna"], ShareKind.AUDIT, saved.key, None)
    _, token = shares.add_link(keys["Anna"], ShareKind.DATA, theirs.dataset("runs").key, 365)
    page = PAGES["scores"].kind(workspace=theirs)
    page.follow(data)
    expected = {
        "password": PASSWORD,
        "roles": {name: str(role) for name, role in roles.items()},
        "external": "Gil",
        "owner_key": owner_key(home),
        "token": token,
        "anna": keys["Anna"],
        "ben": keys["Ben"],
        "shared": {"data": data, "audit": saved.key, "link": theirs.dataset("runs").key},
        "shown": shown_by(page),
        "audits": {
            one.name: {number.name: number.to_dict() for number in archive[one.key].numbers}
            for archive in (own.audits, theirs.audits)
            for one in archive
        },
    }
    own.close(), theirs.close(), database.close()
    backup = folder / "backup.tar"
    back_up(home, backup)
    pack(home, to / "homes" / "served")
    (to / "homes" / "backup").mkdir()
    shutil.copy(backup, to / "homes" / "backup")
    pack(to / "homes" / "backup", to / "homes" / "backup")
    shutil.rmtree(to / "homes" / "backup")
    write(to / "homes.json", expected)


def files(to: Path) -> None:
    """Files that the library and the command line write for themselves to read."""
    folder = to / "files"
    folder.mkdir(parents=True)
    expected: dict[str, Any] = {}
    tested = wb.audit_mechanism(
        wb.mechanism("svt3"), "pure(1)", trials=2, samples=2000, seed=3, testers=("hockey-stick",)
    )
    tested.save(folder / "evidence.json")
    expected["evidence"] = {
        **numbers_in({"best": tested.best.finding.bound}),
        "verdict": str(tested.verdict),
        "trials": len(tested.trials),
        "power": dict(tested.detectable()),
    }
    live = wb.live.Audit(1e-3, claim="approx(0.5, 1e-3)", larger_is_member=False,
                         path=folder / "live.csv")  # fmt: skip
    rng = np.random.default_rng(8)
    for run_number in range(160):
        member = run_number % 2 == 0
        live.add(round(float(rng.normal(0 if member else 2, 1)), 4), member)
    expected["live"] = numbers_in({"epsilon": live.bound, "mu": live.mu})
    expected["live refuted at"] = live.state.refuted_at
    live.close()
    canaries = wb.live.GradientCanaries.random(
        60, 200, sample_rate=1.0, noise_multiplier=2.0, clip=1.0, divisor=10, seed=7
    )
    audit = wb.live.CanaryAudit(canaries, steps=16, delta=1e-3, path=folder / "canaries.csv")
    gradients = np.zeros((10, 200))
    for _ in range(16):
        released = canaries.insert(gradients).sum(axis=0) / 10
        audit.observe(released + rng.normal(0, 0.02, 200))
    audit.close()
    run_read = wb.read_one_run(folder / "canaries.csv")
    bound = wb.one_run_score_bound(run_read, delta=1e-3)
    expected["canaries"] = numbers_in({"epsilon": bound}) | {"canaries": run_read.canaries}
    (folder / "training.toml").write_text(TRAINING, encoding="utf-8")
    plan = wb.training.read_plan(folder / "training.toml")
    trained = wb.training.run_training_audit(plan, folder=folder / "trained")
    expected["trained"] = numbers_in({"epsilon": wb.epsilon_lower_bound(trained.result, delta=0.1)})
    expected["trained models"] = trained.models
    scores = wb.RandomizedResponsePair(1, 0.05).sample(90, seed=4)
    wb.training.write_result(folder / "scores.parquet", scores)
    again = wb.read_scores(folder / "scores.parquet")
    expected["scores"] = numbers_in(
        {
            "epsilon": wb.epsilon_from_counts(
                tp=int((again.p > 0).sum()), fp=int((again.q > 0).sum()),
                fn=int((again.p <= 0).sum()), tn=int((again.q <= 0).sum()), delta=1e-3,
            )
        }
    ) | {"n_p": again.n_p, "n_q": again.n_q, "larger_is_member": True}  # fmt: skip
    with redirect_stdout(StringIO()) as out:
        main(["audit", str(folder / "scores.parquet"), "--delta", "1e-3", "--format", "json"])
    (folder / "audit.json").write_text(out.getvalue(), encoding="utf-8")
    write(to / "files.json", expected)


def make(to: Path) -> None:
    """Write the corpus."""
    shutil.rmtree(to, ignore_errors=True)
    read = to / "read"  # the programs that pages show read files by their names
    read.mkdir(parents=True)
    for name, content in (losses(150, 170, 1), runs(2)):
        (read / name).write_bytes(content)
    to = to.resolve()
    os.chdir(read)
    own = wb.workspace()
    fill(own)
    links(to, own)
    notebooks(to)
    audits(to, own)
    own.close()
    pack(Path(os.environ["WORKBENCH_HOME"]), to / "own")
    folder = Path(HOME.name)
    workspaces(to, folder)
    homes(to, folder)
    files(to)
    write(to / "version.json", {"workbench": wb.__version__, "commit": "8b96c56"})


if __name__ == "__main__":
    make(Path(sys.argv[1]))
