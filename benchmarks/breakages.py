"""Deliberate breakages: one line is made wrong in a copy, and a test about that thing has to fail.

python -m benchmarks.breakages                    # all, some minutes
python -m benchmarks.breakages "backup" "proxy"   # those whose name contains a word

Only quick tests are run, as simulations may pass by chance. A place is named by its folder,
function and text, so that it is found again after the code around it has moved; one that is not
found is reported, too. The exit status is 1 unless every breakage is caught.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

#: What tests need of the repository.
PARTS = ("workbench", "tests", "data", "benchmarks", "notebooks", "docs")
FILES = (
    "conftest.py",
    "pyproject.toml",
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Makefile",
)

#: Seconds after which tests count as hanging, which is no way of catching anything.
PATIENCE = 600


@dataclass(frozen=True)
class Breakage:
    """A line that is made wrong.

    Parameters
    ----------
    name : str
        What is wrong, in words.
    folder : str
        Where the place is, such as "onerun"; a module or a folder of the package.
    function : str
        Its name; "" for a constant of a module.
    right, wrong : str
        Text that occurs once there, and what takes its place.
    tests : tuple of str
        Files or folders of the tests about it.
    """

    name: str
    folder: str
    function: str
    right: str
    wrong: str
    tests: tuple[str, ...]

    def place(self, root: Path) -> tuple[Path, str]:
        """The module, and its text with the line made wrong.

        Raises
        ------
        LookupError
            The text is nowhere, or at several places.
        """
        found = list(self._places(root / "workbench" / self.folder))
        if len(found) != 1:
            raise LookupError(f"{self.function} in {self.folder}: {len(found)} places")
        return found[0]

    def _places(self, within: Path) -> Iterator[tuple[Path, str]]:
        for path in [within] if within.is_file() else sorted(within.rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            for start, end in spans(text, self.function):
                part = text[start:end]
                if part.count(self.right) == 1:
                    yield path, text[:start] + part.replace(self.right, self.wrong) + text[end:]


def spans(text: str, function: str) -> Iterator[tuple[int, int]]:
    """Begin and end of each function of a name; of the whole text for ""."""
    if not function:
        yield 0, len(text)
        return
    if f"def {function}(" not in text:
        return
    ends = [0]
    for line in text.splitlines(keepends=True):
        ends.append(ends[-1] + len(line))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == function:
            yield ends[node.lineno - 1], ends[node.end_lineno or 0]


BREAKAGES = (
    # -- statistics
    Breakage(
        "abstention: one error of the guesses is forgiven",
        "onerun",
        "_p_value",
        "betaincc(errors + 1, guesses - errors, wrong)",
        "betaincc(errors, guesses - errors + 1, wrong)",
        ("tests/onerun",),
    ),
    Breakage(
        "coins of one run: the test has one side",
        "onerun",
        "coins_p_value",
        "2 * float(",
        "1 * float(",
        ("tests/onerun",),
    ),
    Breakage(
        "an audit that resumes makes looks a second time",
        "live/canary_audit.py",
        "_resume",
        "self.step = max(self.last_look, *self._lost, 0)",
        "self.step = 0",
        ("tests/live/test_live_resume.py",),
    ),
    Breakage(
        "a look that is lost leaves its share of the error to others",
        "live/looks.py",
        "confidence_at",
        "len(known) - known.index(step)",
        "1",
        ("tests/live/test_live_resume.py",),
    ),
    Breakage(
        "an estimate is logged under the name of a bound",
        "trackers/naming.py",
        "key_of",
        "parts.append(bound.guarantee)",
        "parts.append(bound.guarantee if bounds else 'pointwise')",
        ("tests/trackers/test_tracker_log.py",),
    ),
    Breakage(
        "what a tracker may have already is sent again",
        "trackers/mlflow_runs.py",
        "send",
        "if not (tried and self._has(entry, key, moment))",
        "if not (tried and False)",
        ("tests/trackers/test_trackers_offline.py",),
    ),
    Breakage(
        "limits of a difference of two rates spend the error probability twice",
        "synthetic/threats/rates.py",
        "difference_limits",
        "_checks.confidence(confidence)) / 2",
        "_checks.confidence(confidence))",
        ("tests/synthetic/test_threat_rates.py",),
    ),
    Breakage(
        "threats: a number of guesses that follows from the release counts as fixed",
        "onerun/steinke.py",
        "any_number_p_value",
        "return min(max(binomial / (1 - share), of_delta / share), 1.0)",
        "return binomial + of_delta",
        ("tests/synthetic/test_threat_rates.py",),
    ),
    Breakage(
        "the coin test leaves out what was seen itself",
        "synthetic/threats/rates.py",
        "coin_test",
        "first = max(hits, ",
        "first = max(hits + 1, ",
        ("tests/synthetic/test_threat_rates.py",),
    ),
    Breakage(
        "audits of synthetic tables: rows that occur twice are not left out",
        "synthetic/tables.py",
        "_kept",
        "times[where] == 1",
        "times[where] <= 2",
        ("tests/synthetic/test_synthetic_tables.py",),
    ),
    Breakage(
        "audits of synthetic tables: a split that was not random gives bounds",
        "synthetic/audit.py",
        "why_estimate",
        "self.split_test.passed",
        "True",
        ("tests/synthetic/test_synthetic_audit.py",),
    ),
    Breakage(
        "audits of synthetic tables: all attacks at the level of one",
        "synthetic/audit.py",
        "epsilon",
        "(1 - confidence) / len(self.attacks)",
        "(1 - confidence)",
        ("tests/synthetic/test_synthetic_level.py",),
    ),
    Breakage(
        "audits of synthetic tables: the reader of a part tells which part it is",
        "synthetic/columns.py",
        "_spelled",
        "one_spelling(word, numbers)",
        "word",
        ("tests/synthetic/test_synthetic_tables.py",),
    ),
    Breakage(
        "the noise of a private generator is enough for one table of counts",
        "synthetic/generators",
        "noise_scale",
        "return self.tables / claim.epsilon_0",
        "return 1 / claim.epsilon_0",
        ("tests/synthetic/test_private_marginals.py",),
    ),
    Breakage(
        "a generator is trained on a record whose coin was out",
        "synthetic/generators",
        "score_model",
        "inside[self.targets] = included",
        "inside[self.targets] = True",
        ("tests/synthetic/test_generator_runs.py",),
    ),
    Breakage(
        "attacks on synthetic tables learn from memberships that are measured",
        "synthetic/choice.py",
        "_scored",
        "np.flatnonzero(known[tables.canary])",
        "np.arange(tables.records)",
        ("tests/synthetic/test_synthetic_attacks.py",),
    ),
    Breakage(
        "attacks on synthetic tables: a record is its own neighbor",
        "synthetic/attacks",
        "of",
        "(found == np.arange(len(records))[:, None])",
        "(found < 0)",
        ("tests/synthetic/test_synthetic_attacks.py",),
    ),
    Breakage(
        "e-Benjamini–Hochberg: ranks begin at 2",
        "bounds/anytime",
        "e_benjamini_hochberg",
        "1 + np.arange",
        "2 + np.arange",
        ("tests/bounds/test_anytime.py",),
    ),
    Breakage(
        "e-values: the average is the sum",
        "bounds/anytime",
        "average_e_values",
        " - math.log(len(logs))",
        "",
        ("tests/bounds/test_anytime.py",),
    ),
    Breakage(
        "comparison: the error is shared by two limits, not four",
        "bounds/simultaneous",
        "compare",
        "(1 - confidence) / 4",
        "(1 - confidence) / 2",
        ("tests/bounds/test_compare.py", "tests/coverage/test_constants.py"),
    ),
    Breakage(
        "several splits: the median p-value is not doubled",
        "bounds/held_out",
        "_of_exchangeable",
        "2 * float(",
        "1 * float(",
        ("tests/bounds/test_heldout.py", "tests/coverage/test_constants.py"),
    ),
    Breakage(
        "search of a mechanism: testers do not share a trial's error",
        "testers",
        "level",
        "(self.trials * testers)",
        "self.trials",
        ("tests/testers/test_audit_mechanism.py",),
    ),
    Breakage(
        "search of a mechanism: witnesses are measured on the outputs that they were fitted to",
        "testers",
        "_tested",
        "range(1, CALLS)",
        "range(CALLS - 1)",
        ("tests/testers",),
    ),
    Breakage(
        "mechanism of another interface: a run sees what the one before it made of the dataset",
        "mechanisms",
        "_outputs",
        "function(dataset.copy())",
        "function(dataset)",
        ("tests/testers/test_mechanism_from.py",),
    ),
    Breakage(
        "mechanism without a generator: its state is not drawn from the seed",
        "mechanisms",
        "seeded",
        "np.random.seed(int(rng.integers(2**32)))",
        "rng.integers(2**32)",
        ("tests/testers/test_mechanism_from.py",),
    ),
    Breakage(
        "replay: outputs of the search are used again",
        "testers",
        "replay",
        "source.call(CALLS, seed, size=samples)",
        "source.call(0)",
        ("tests/testers/test_audit_mechanism.py",),
    ),
    Breakage(
        "composition: one release too few",
        "pairs",
        "_composed",
        "RepeatedResponsesPair(self.epsilon_0, self.delta_0, k)",
        "RepeatedResponsesPair(self.epsilon_0, self.delta_0, k - 1)",
        ("tests/pairs",),
    ),
    Breakage(
        "δ of a Rényi divergence: the sign of a term",
        "selection",
        "epsilon_from_renyi",
        "divergence + np.log1p",
        "divergence - np.log1p",
        ("tests/selection",),
    ),
    Breakage(
        "selection by any score: a power of the number of runs is lost",
        "selection",
        "generic_divergence",
        "(1 + runs.eta) * extra",
        "runs.eta * extra",
        ("tests/selection",),
    ),
    Breakage(
        "clusters: the largest score is the smallest",
        "scores",
        "_reduced_clusters",
        "np.maximum.at(",
        "np.minimum.at(",
        ("tests/scores/test_scores.py",),
    ),
    Breakage(
        "an interval's upper end is rounded down",
        "bounds",
        "rounded",
        "round_safely(self.high, 'up')",
        "round_safely(self.high, 'down')",
        ("tests/bounds/test_bound.py", "tests/bounds/test_bound_texts.py"),
    ),
    Breakage(
        "pooled scores of a table: records that were in no model count as outside",
        "tables",
        "pooled_scores",
        "table.present & ~table.member",
        "~table.member",
        ("tests/tables",),
    ),
    # -- pages and plans
    Breakage(
        "a plan that was stored after the scores were opened is in time",
        "audits",
        "_of_the_data",
        "facts.opened <= plan.created",
        "facts.opened > plan.created",
        ("tests/audits/test_plans.py", "tests/pages/test_plan_choice.py"),
    ),
    Breakage(
        "a second data set may follow a plan that was used",
        "audits",
        "_of_the_data",
        "if facts.used_before:",
        "if False:",
        ("tests/audits/test_plans.py", "tests/pages/test_plan_choice.py"),
    ),
    Breakage(
        "a question that was changed after the results is in time",
        "pages",
        "recalled",
        'self.asked != "none" and any(',
        'self.asked == "none" and any(',
        ("tests/pages/test_asked_in_advance.py",),
    ),
    Breakage(
        "undo forgets how a drag began",
        "dashboard",
        "_take_note",
        "self._drag or Drag(used, before)",
        "Drag(used, before)",
        ("tests/front_ends/test_bench.py",),
    ),
    # -- server
    Breakage(
        "a form of another site is taken",
        "server",
        "is_ours",
        "return bool(nonce) and ",
        "return bool(nonce) or ",
        ("tests/server/test_sign_ins.py", "tests/server/test_strangers.py"),
    ),
    Breakage(
        "a visitor says in a header which address is theirs",
        "server/network",
        "client_address",
        "hops[-1]",
        "hops[0]",
        ("tests/server/test_proxy.py",),
    ),
    Breakage(
        "a sign-in that nobody uses does not end",
        "server",
        "_valid",
        "now - self._idle",
        "now - self._longest",
        ("tests/server/test_sign_ins.py",),
    ),
    Breakage(
        "viewers may import audits",
        "dashboard",
        "",
        '"audits.import_file", "import audits"',
        '"audits.import_file"',
        ("tests/server/test_roles.py",),
    ),
    Breakage(
        "the socket of an app is open to whoever has the token of somebody else",
        "server/apps",
        "_problem",
        "!= person_mark(self.person.key)",
        "is None",
        ("tests/server/test_apps.py",),
    ),
    Breakage(
        "viewers open apps",
        "server/apps",
        "admit",
        "if not person.role.edits",
        "if person.role is None",
        ("tests/server/test_apps.py",),
    ),
    Breakage(
        "visitors without an account see what is shared with everyone who is signed in",
        "server/sharing",
        "given_to",
        "ShareTarget.EVERYONE and signed_in",
        "ShareTarget.EVERYONE",
        ("tests/server/test_shares.py", "tests/server/test_sharing_bench.py"),
    ),
    Breakage(
        "a damaged backup is restored",
        "server/operations",
        "require_same",
        "if found != wanted:",
        "if found is None:",
        ("tests/server/test_backup.py",),
    ),
    # -- files, and what is kept
    Breakage(
        "a name in a csv file may be a formula",
        "_markup.py",
        "csv_cell",
        "if _FORMULA.match(line) else",
        "if False else",
        ("tests/reports/test_writers.py",),
    ),
    Breakage(
        "a name may have escape sequences of a terminal",
        "_markup.py",
        "visible",
        "_ACTS.sub(_escape_sequence, text)",
        "text",
        ("tests/reports/test_writers.py",),
    ),
    Breakage(
        "figures of a saved audit may have changed",
        "audits/storing",
        "damage",
        "!= self.figures_sha256",
        "== ''",
        ("tests/audits/test_archive_database.py", "tests/audits/test_archive.py"),
    ),
    Breakage(
        "a part of an exported audit may have changed",
        "audits",
        "_part",
        'if sha256(content).hexdigest() != described[name]["sha256"]:',
        "if not content:",
        ("tests/audits/test_archive_files.py",),
    ),
    Breakage(
        "data sets that are in use are purged",
        "workspaces",
        "purge",
        "if entry.removed is not None:",
        "if entry is not None:",
        ("tests/workspaces/test_workspace.py",),
    ),
    Breakage(
        "two files are known by the first one alone",
        "workspaces",
        "content_hash",
        "for table in tables:",
        "for table in tables[:1]:",
        ("tests/workspaces/test_content.py",),
    ),
    Breakage(
        "the last line of a growing file is read before it is whole",
        "scores/growing",
        "read",
        'piece.rfind(b"\\n") + 1',
        "len(piece)",
        ("tests/scores/test_growing_file.py",),
    ),
)

FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+::.+?)(?: - .*)?$", re.MULTILINE)


def copied(to: Path) -> None:
    """Copy what tests need."""
    skipped = shutil.ignore_patterns("__pycache__", "_build", ".*_cache", "*.pyc", "node_modules")
    for part in PARTS:
        shutil.copytree(ROOT / part, to / part, ignore=skipped)
    for file in FILES:
        shutil.copy(ROOT / file, to / file)


def caught(breakage: Breakage, copy: Path) -> str:
    """The test that fails, and "" if none does; ValueError where the tests cannot be run."""
    path, broken = breakage.place(copy)
    whole = path.read_text(encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider"]
    command += ["-m", "not (statistical or slow)"]
    environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    environment["OMP_NUM_THREADS"] = "1"
    path.write_text(broken, encoding="utf-8")
    try:
        done = subprocess.run(
            [*command, *breakage.tests],
            cwd=copy,
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
    finally:
        path.write_text(whole, encoding="utf-8")
    found = FAILED.search(done.stdout)
    if done.returncode not in (0, 1) or bool(found) != (done.returncode == 1):
        raise ValueError(done.stdout[-2000:] + done.stderr[-2000:])
    return found[1] if found else ""


def try_out(names: list[str]) -> int:
    """Try all breakages whose name contains a word, and print which test catches each."""
    chosen = [one for one in BREAKAGES if not names or any(word in one.name for word in names)]
    missed = 0
    with tempfile.TemporaryDirectory(prefix="breakages-") as folder:
        copy = Path(folder)
        copied(copy)
        for one in chosen:
            try:
                test = caught(one, copy)
            except LookupError as error:
                test, words = "", f"NOT FOUND: {error}"
            except subprocess.TimeoutExpired:
                test, words = "", f"HANGS: the tests ran for {PATIENCE} s"
            else:
                words = test or "SURVIVES"
            missed += not test
            print(f"{one.name}\n    {words}", flush=True)
    print(f"{len(chosen) - missed} of {len(chosen)} caught")
    return 1 if missed else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="WORD")
    sys.exit(try_out(parser.parse_args().names))
