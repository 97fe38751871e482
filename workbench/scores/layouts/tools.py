"""What is known of the files of public tools: where their scores are, and their traps.

All these tools write scores that are larger for members. A table is recognized by the names of its
columns, or of its files where these have no columns; the values of scores decide nothing but
whether a "loss" is negated.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from workbench import _checks
from workbench.scores.layouts.labels import shared_columns
from workbench.scores.table import DataTable
from workbench.software.plugins import PluginWarning, Registry


@dataclass(frozen=True)
class Recognized:
    """The tool that wrote tables, and what is known of them.

    Attributes
    ----------
    tool : str
        "LeakPro result".
    columns : tuple of str
        By what it is recognized.
    labeled : mapping of str to str
        For each column of scores that of its labels; empty where each group has its own column or
        file.
    sides : pair of str, optional
        Columns of the scores of P and of Q.
    remarks : tuple of str
        What to know of these files, in sentences.
    column_remarks : mapping of str to str
        What to know of a column of scores.
    refusal : str
        Why the rows cannot be taken as independent; "" if nothing speaks against it.
    """

    tool: str
    columns: tuple[str, ...]
    labeled: Mapping[str, str] = field(default_factory=dict)
    sides: tuple[str, str] | None = None
    remarks: tuple[str, ...] = ()
    column_remarks: Mapping[str, str] = field(default_factory=dict)
    refusal: str = ""

    def __post_init__(self) -> None:
        _checks.fields(self)

    def describe(self, score: str | None = None) -> str:
        """The tool and its columns, then the remarks, as sentences.

        Parameters
        ----------
        score : str, optional
            The column of scores that was chosen: its remark is added.
        """
        parts = [f"{self.tool}: {', '.join(self.columns)}", *self.remarks]
        parts += [remark for name, remark in self.column_remarks.items() if name == score]
        return ". ".join(parts) + "."


class Tool(Protocol):
    """A tool that writes score files: what a plug-in gives for a layout.

    `LabeledScores`, `PairOfColumns` and `PairOfFiles` suffice for most.
    """

    def recognize(self, tables: Sequence[DataTable]) -> Recognized | None:
        """What is known of tables of this tool; None if they are not of it.

        Parameters
        ----------
        tables : sequence of DataTable
            One, or that of P and that of Q. A table has the ``name`` of its file, without ending,
            and ``columns``: arrays by name.
        """


@dataclass(frozen=True)
class LabeledScores:
    """A tool that writes scores and their labels into one table.

    Parameters
    ----------
    tool : str
    score : str
        Pattern of the columns of scores. A group called ``run`` is what the column of its labels
        begins with, too.
    member : str
        The column of labels.
    beside : frozenset of str
        Other columns without which the table is not of this tool.
    file : str
        Pattern that the name of the file begins with.
    remarks : tuple of str
    column_remarks : mapping of str to str
        Pattern of a column of scores -> what to know of it.
    averaged : str
        Pattern of files that concatenate the scores of several models.
    """

    tool: str
    score: str
    member: str
    beside: frozenset[str] = frozenset()
    file: str = ""
    remarks: tuple[str, ...] = ()
    column_remarks: Mapping[str, str] = field(default_factory=dict)
    averaged: str = ""

    def recognize(self, tables: Sequence[DataTable]) -> Recognized | None:
        """What is known of one table of this tool."""
        if len(tables) != 1 or not re.match(self.file, tables[0].name):
            return None
        table = tables[0]
        labeled = {}
        for name in table.columns:
            found = re.fullmatch(self.score, name)
            if found:
                label = (found.groupdict().get("run") or "") + self.member
                if label in table.columns:
                    labeled[name] = label
        if not labeled or not self.beside <= {*table.columns, *table.unusable}:
            return None
        of_columns = {
            name: remark
            for name in labeled
            for pattern, remark in self.column_remarks.items()
            if re.fullmatch(pattern, name)
        }
        averaged = bool(self.averaged and re.match(self.averaged, table.name))
        return Recognized(
            self.tool,
            tuple(dict.fromkeys([*labeled, *labeled.values()])),
            labeled,
            remarks=(*self.remarks, *([_AVERAGED] if averaged else [])),
            column_remarks=of_columns,
            refusal=_REFUSED_AVERAGE.format(table.label) if averaged else "",
        )


@dataclass(frozen=True)
class PairOfColumns:
    """A tool that writes one table with a column per group.

    Parameters
    ----------
    tool, p, q : str
        The tool, and its columns.
    """

    tool: str
    p: str
    q: str

    def recognize(self, tables: Sequence[DataTable]) -> Recognized | None:
        """What is known of one table of this tool."""
        if len(tables) != 1 or not {self.p, self.q} <= set(tables[0].columns):
            return None
        return Recognized(self.tool, (self.p, self.q), sides=(self.p, self.q))


@dataclass(frozen=True)
class PairOfFiles:
    """A tool that writes one file per group.

    Parameters
    ----------
    tool : str
    p, q : str
        Patterns of the names of the files; what their groups find is the same in both.
    score : str
        The column of scores in both; "" where each file has only one.
    negated : bool
        Whether the files are called losses and hold their negatives: none is above 0.
    remarks : tuple of str
    """

    tool: str
    p: str
    q: str
    score: str = ""
    negated: bool = False
    remarks: tuple[str, ...] = ()

    def recognize(self, tables: Sequence[DataTable]) -> Recognized | None:
        """What is known of two tables of this tool."""
        if len(tables) != 2:
            return None
        found = [re.fullmatch(p, t.name) for p, t in zip((self.p, self.q), tables, strict=True)]
        if found[0] is None or found[1] is None or found[0].groups() != found[1].groups():
            return None
        if self.score and not all(self.score in table.columns for table in tables):
            return None
        columns = [self.score] * 2 if self.score else [_only(table) for table in tables]
        if not all(columns) or (self.negated and not _all_negative(tables, columns)):
            return None
        return Recognized(
            self.tool,
            tuple(table.name for table in tables),
            sides=(columns[0], columns[1]),
            remarks=(*self.remarks, *_on_users(tables)),
        )


_AVERAGED = "It concatenates the scores of several models, so its rows are not independent"

_REFUSED_AVERAGE = (
    "{} concatenates the scores of several models: a record occurs once per model, so the rows are "
    "not independent, and a bound would be about no single model. Open attack_result_0.npz, "
    "attack_result_1.npz and so on, one per model, or read the scores of all models with "
    "wb.read_score_table. To read it all the same, state what you assume with "
    "sampling='independent runs' or sampling='one run'"
)

_ONE_MODEL = "Each row is one trained model: where they were trained independently, state it"

TOOLS: tuple[Tool, ...] = (
    LabeledScores(
        "ml_privacy_meter result",
        "scores",
        "memberships",
        beside=frozenset({"fpr", "tpr"}),
        averaged="attack_result_average",
    ),
    LabeledScores("LeakPro result", "signal_values", "true_labels"),
    LabeledScores(
        "SACRO-ML report", r"(?P<run>(?:.*\.)?instance_\d+\.)(?:member_prob|score)", "member"
    ),
    LabeledScores("SACRO-ML result", "member_prob", "member"),
    # "label" is the class of a record there.
    LabeledScores(
        "SACRO-ML result", "score", "member", beside=frozenset({"target_logit", "out_prob"})
    ),
    LabeledScores(
        "PANORAMIA attack",
        r"(?:baseline|mia_\w+)_pred",
        "member",
        column_remarks={
            "baseline_pred": "“baseline_pred” is the baseline without access to the model: what it "
            "tells apart was not leaked by the model"
        },
    ),
    LabeledScores("privacy-estimates result", "score", "challenge_bit"),
    LabeledScores(
        "bb-audit-dpsgd result", "scores", "labels", file="mia_scores$", remarks=(_ONE_MODEL,)
    ),
    PairOfFiles(
        "bb-audit-dpsgd result",
        "losses_in",
        "losses_out",
        negated=True,
        remarks=(
            "They are called losses, but none is above 0: they are negated losses, larger for "
            "members",
            _ONE_MODEL,
        ),
    ),
    PairOfFiles("auditbench result", r"in_scores_(\w+)", r"out_scores_(\w+)"),
    PairOfFiles("PrivacyGuard frames", r"df_train(\w*)", r"df_test(\w*)", score="score"),
    PairOfColumns("jax_privacy canary scores", "in_canary_scores", "out_canary_scores"),
)


def _taken(name: str, found: Any) -> Tool:
    """The tool of a plug-in, after a try (ValueError or TypeError that says what is wrong)."""
    tool = found() if isinstance(found, type) else found
    if not callable(getattr(tool, "recognize", None)):
        raise TypeError(
            "it must have a method recognize(tables), as wb.scores.LabeledScores has; got "
            f"{_checks.shown(found)}"
        )
    known = tool.recognize([DataTable("nothing", {"no such column": np.zeros(2)}, "csv")])
    if known is not None:
        raise ValueError("it recognizes a table without any column of its own")
    return tool


#: Tools of plug-ins by name; ours are asked first, so that none changes how known files are read.
OTHER_TOOLS: Registry[Tool] = Registry("workbench.layouts", {}, _taken)


def _asked(name: str, tool: Tool, tables: Sequence[DataTable]) -> Recognized | None:
    """What a plug-in's tool knows of tables; None, with a warning, where it fails."""
    try:
        known = tool.recognize(tables)
        if known is not None:
            _checks.instance(known, Recognized, "recognize", "a wb.scores.Recognized or None")
            _check_columns(known, tables)
    except Exception as error:  # other people's code
        warnings.warn(
            f"the layout {name!r} of a plug-in failed and is passed over: "
            f"{type(error).__name__}: {error}",
            PluginWarning,
            stacklevel=3,
        )
        return None
    return known


def _check_columns(known: Recognized, tables: Sequence[DataTable]) -> None:
    """Refuse columns that the tables do not have."""
    sides = known.sides or ()
    places = tables if len(tables) == len(sides) else [tables[0]] * len(sides)
    named = [*zip(sides, places, strict=True)]
    named += [(one, tables[0]) for pair in known.labeled.items() for one in pair]
    lacking = [name for name, table in named if name not in table.columns]
    if lacking:
        raise ValueError(
            f"it names the columns {', '.join(map(repr, lacking))}, which are not there"
        )


def recognized(tables: Sequence[DataTable]) -> Recognized | None:
    """What is known of the tables of a public tool; None where no tool is recognized.

    Parameters
    ----------
    tables : sequence of DataTable
        One, or that of P and that of Q.
    """
    ours = (tool.recognize(tables) for tool in TOOLS)
    known = next((one for one in ours if one is not None), None)
    if known is not None:
        return known
    others = (_asked(name, tool, tables) for name, tool in OTHER_TOOLS.others.items())
    return next((one for one in others if one is not None), None)


def _only(table: DataTable) -> str:
    """The only column of a table; "" if there are more."""
    return next(iter(table.columns)) if len(table.columns) == 1 else ""


def _all_negative(tables: Sequence[DataTable], columns: Sequence[str]) -> bool:
    """Whether no score of either group is above 0, and not all are 0."""
    both = [t.columns[c] for t, c in zip(tables, columns, strict=True)]
    if any(cells.dtype.kind not in "fiu" or cells.size == 0 for cells in both):
        return False
    with np.errstate(invalid="ignore"):
        return all(not (cells > 0).any() for cells in both) and any((x < 0).any() for x in both)


def _on_users(tables: Sequence[DataTable]) -> list[str]:
    """A remark on rows that share a user."""
    return [
        f"Rows share {name!r}: choose it as cluster for one score each"
        for name, _ in shared_columns(tables[0])
        if all(name in table.columns for table in tables)
    ][:1]
