"""Layouts: which columns of a table are the scores of P and of Q, found, shown and applied.

Only names and values that leave no doubt are taken; everything else is asked for. Clusters and
the direction of the score are never guessed.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from workbench.scores.parsing.cells import mostly_numbers
from workbench.scores.refusals import listed, quoted
from workbench.scores.sample import ScoresError
from workbench.scores.table import DataTable, is_unnamed

Kind = Literal["two columns", "score and label", "one file per side"]
Clusters = tuple[NDArray[Any], NDArray[Any]] | None

# Names of P and Q, after filler words are taken out ("in_canary_scores" -> "in").
PAIRS = (
    ("p", "q"),
    ("in", "out"),
    ("member", "nonmember"),
    ("members", "nonmembers"),
    ("train", "test"),
    ("train", "heldout"),
    ("train", "holdout"),
    ("training", "test"),
    ("target", "reference"),
    ("included", "excluded"),
    ("with", "without"),
    ("seen", "unseen"),
    ("h1", "h0"),
    ("alternative", "null"),
)


def _vocabulary(words: str) -> frozenset[str]:
    return frozenset(words.split())


IN_LABELS = _vocabulary(
    "1 true t yes y in member members train training trained intrain intraining included seen p h1"
)
_FILLER = _vocabulary("score scores canary canaries loss losses value values sample samples")
_SCORE_WORDS = _vocabulary(
    "score scores loss losses statistic stat value values logit logits confidence"
)
# The first kind of name is tried first: "label" may also be the class of a record.
_LABEL_NAMES = (
    _vocabulary(
        "member members membership memberships ismember in isin inout train istrain intrain "
        "training included bit world"
    ),
    _vocabulary("label labels group set split side status target y"),
)
_ID_WORDS = _vocabulary("id ids index idx row nr no seed run epoch step user subject cluster")
_MOST_LABELS = 20
_LONGEST_LABEL = 200
_MOST_LISTED = 12

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Layout:
    """Where the scores of P and Q are.

    Parameters
    ----------
    kind : {"two columns", "score and label", "one file per side"}
        Which of the fields below count.
    p, q : str or None
        Columns of the two sides ("two columns"; "one file per side", in the first and the second
        file).
    score, member : str or None
        Columns of the scores and of their labels ("score and label").
    member_value : str or None
        The label of P; every other row belongs to Q. None where it cannot be told.
    cluster : str or None
        Column of the labels of scores that belong together; in both files where there are two.
    """

    kind: Kind
    p: str | None = None
    q: str | None = None
    score: str | None = None
    member: str | None = None
    member_value: str | None = None
    cluster: str | None = None

    def describe(self) -> str:
        """One sentence for the person whose file it is."""
        clusters = f"; clusters = column '{self.cluster}'" if self.cluster is not None else ""
        if self.kind == "score and label":
            value = "still to be chosen" if self.member_value is None else f"'{self.member_value}'"
            return (
                f"P = rows of '{self.score}' whose '{self.member}' is {value}, "
                f"Q = all other rows{clusters}"
            )
        if self.kind == "one file per side":
            return (
                f"P = column '{self.p}' of the first file, "
                f"Q = column '{self.q}' of the second file{clusters}"
            )
        order = ""
        if is_unnamed(str(self.p)) and is_unnamed(str(self.q)):
            order = " (the columns have no names: the first is taken as P)"
        return f"P = column '{self.p}', Q = column '{self.q}'{order}{clusters}"


@dataclass(frozen=True)
class Choices:
    """What a page may offer for a table.

    Parameters
    ----------
    scores : tuple of str
        Columns that hold numbers.
    labels : mapping of str to tuple of str
        Columns that may say which side a row is on, with the labels in each, as
        ``member_value`` takes them.
    clusters : tuple of str
        Columns that may say which scores belong together.
    """

    scores: tuple[str, ...]
    labels: Mapping[str, tuple[str, ...]]
    clusters: tuple[str, ...]


def choices(table: DataTable) -> Choices:
    """What a page may offer for this table."""
    labels = {c: tuple(found) for c in table.columns if len(found := _labels(table, c)) > 1}
    return Choices(tuple(_numeric(table)), labels, tuple(table.columns))


def guess_layout(
    table: DataTable,
    table_q: DataTable | None = None,
    *,
    p: str | None = None,
    q: str | None = None,
    score: str | None = None,
    member: str | None = None,
    member_value: object = None,
    cluster: str | None = None,
) -> Layout:
    """Find the layout; whatever is given is taken as it is.

    Parameters
    ----------
    table : DataTable
        The file, or the file of P where each side has its own.
    table_q : DataTable, optional
        The file of Q.
    p, q : str, optional
        Columns of the two sides.
    score, member : str, optional
        Columns of the scores and of their labels.
    member_value : optional
        The label of P, as text, number or boolean.
    cluster : str, optional
        Column of the labels of scores that belong together.

    Raises
    ------
    ScoresError
        Nothing found without doubt, a column that does not exist, arguments that contradict
        each other.
    """
    labeled = score is not None or member is not None or member_value is not None
    if table_q is not None:
        if member is not None or member_value is not None:
            raise ScoresError("member= and member_value= have no use with one file per side")
        return Layout(
            "one file per side",
            p=_one_side(table, score if p is None else p, "p"),
            q=_one_side(table_q, score if q is None else q, "q"),
            cluster=cluster,
        )
    if p is not None or q is not None:
        if labeled:
            raise ScoresError(
                "give either p= and q= (two columns) or score=, member= and member_value= (a "
                "column of scores and one of labels), not both"
            )
        if p is None or q is None:
            raise ScoresError(f"p= and q= go together: {'p' if p is None else 'q'}= is missing")
        table.column(p), table.column(q)
        return Layout("two columns", p=p, q=q, cluster=cluster)
    if not labeled:
        pair = _named_pair(table)
        if pair is not None:
            return Layout("two columns", p=pair[0], q=pair[1], cluster=cluster)
    found = _score_and_label(table, score, member, cluster)
    if found is not None:
        score, member = found
        value = _in_label(_labels(table, member)) if member_value is None else _text(member_value)
        return Layout(
            "score and label", score=score, member=member, member_value=value, cluster=cluster
        )
    numeric = list(_numeric(table))
    if not labeled and len(numeric) == 2 and all(map(is_unnamed, table.columns)):
        return Layout("two columns", p=numeric[0], q=numeric[1], cluster=cluster)
    raise ScoresError(_not_found(table, numeric))


def apply_layout(
    table: DataTable, layout: Layout, table_q: DataTable | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64], Clusters]:
    """Take the scores out of the table.

    Returns
    -------
    p, q : ndarray of float, shape (n_p,), (n_q,)
        Non-finite scores included, empty cells as NaN. Empty cells at the end of one of two
        columns mark a shorter column and are no scores.
    clusters : pair of ndarray, shape (n_p,), (n_q,), or None
        Labels of the scores that belong together.

    Raises
    ------
    ScoresError
        Text among the numbers, labels that do not make two sides, sizes that do not match.
    """
    if layout.kind == "score and label":
        return _by_label(table, layout)
    p_name, q_name = str(layout.p), str(layout.q)
    if layout.kind == "one file per side":
        if table_q is None:
            raise ScoresError("this layout has one file per side: the file of Q is missing")
        p, q = table.numbers(p_name), table_q.numbers(q_name)
    else:
        table_q = table
        n_p, n_q = _lengths(table, p_name, q_name)
        p, q = table.numbers(p_name)[:n_p], table.numbers(q_name)[:n_q]
    if layout.cluster is None:
        return p, q, None
    return (
        p,
        q,
        (
            _clusters(table, layout.cluster, slice(p.size), p.size),
            _clusters(table_q, layout.cluster, slice(q.size), q.size),
        ),
    )


# -- taking the scores ----------------------------------------------------------------------------


def _lengths(table: DataTable, p: str, q: str) -> tuple[int, int]:
    """Lengths of two columns without the empty cells that fill up the shorter one."""
    n_p, n_q = table.column(p).size, table.column(q).size
    if table.rows is None:
        return n_p, n_q
    short = [n - table.filled[c] for c, n in ((p, n_p), (q, n_q))]
    if all(short):
        raise ScoresError(
            f"{table.label}: columns {p!r} and {q!r} both end with empty cells ({short[0]} and "
            f"{short[1]} of {table.rows}), so it is open whether these are missing scores or "
            "shorter columns; write nan where a score is missing, save each side in a file of its "
            "own, or pass the arrays to wb.Scores"
        )
    if any(short) and table.format not in ("csv", "tsv"):
        log.warning(
            "%s: column %r is taken as shorter, without its %d empty cells at the end; if these "
            "were NaN scores, pass the arrays to wb.Scores",
            *(table.label, p if short[0] else q, sum(short)),
        )
    return n_p - short[0], n_q - short[1]


def _by_label(
    table: DataTable, layout: Layout
) -> tuple[NDArray[np.float64], NDArray[np.float64], Clusters]:
    x = table.numbers(str(layout.score))
    is_p = members(table, layout)
    if x.size != is_p.size:
        raise ScoresError(
            f"{table.label}: {layout.score!r} has {x.size} scores but {layout.member!r} has "
            f"{is_p.size} labels; give one label a score"
        )
    if layout.cluster is None:
        return x[is_p], x[~is_p], None
    return (
        x[is_p],
        x[~is_p],
        (
            _clusters(table, layout.cluster, is_p, x.size),
            _clusters(table, layout.cluster, ~is_p, x.size),
        ),
    )


def members(table: DataTable, layout: Layout) -> NDArray[np.bool_]:
    """Which rows of a table with a column of labels belong to P.

    Raises
    ------
    ScoresError
        Empty labels, or labels that do not make two sides.
    """
    member, member_value = str(layout.member), layout.member_value
    index, labels = _factorized(table.column(member))
    if (index < 0).any():
        raise ScoresError(
            f"{table.label}, {table.place(int((index < 0).argmax()))}: the label column {member!r} "
            "is empty; say which side the score is on, or remove the row"
        )
    shown = list(_distinct(labels))
    if len(shown) > _MOST_LABELS:
        raise ScoresError(
            f"{table.label}: {member!r} has {len(shown)} different values, so it cannot say which "
            "side a row is on; choose another column with member="
        )
    if len(shown) == 1:
        raise ScoresError(
            f"{table.label}: the label column {member!r} holds only {shown[0]!r}, so one side has "
            "no scores; give the file of the other side with path_q=, or choose another column "
            "with member="
        )
    if member_value is None:
        raise ScoresError(
            f"{table.label}: the label column {member!r} holds {len(shown)} labels, "
            f"{listed(shown)}; say which one means 'in the data' with member_value=, for example "
            f"member_value={shown[0]!r} (all other rows become Q)"
        )
    of_p = np.array([_key(_text(label)) == _key(member_value) for label in labels])
    if not of_p.any():
        raise ScoresError(
            f"{table.label}: no row of {member!r} holds {member_value!r}; its labels are "
            f"{listed(shown)}"
        )
    return np.asarray(of_p[index])


def _clusters(
    table: DataTable, name: str, rows: NDArray[np.bool_] | slice, size: int
) -> NDArray[Any]:
    cells = table.column(name)
    if table.rows is None and cells.size != size:
        raise ScoresError(
            f"{table.label}: the cluster column {name!r} has {cells.size} entries for {size} "
            "scores; give one a score"
        )
    index, labels = _factorized(cells)
    if (index[rows] < 0).any():
        first = int(np.flatnonzero(index < 0)[0])
        raise ScoresError(
            f"{table.label}, {table.place(first)}: the cluster column {name!r} is empty; every "
            "score needs its cluster"
        )
    texts = [_text(label) for label in labels]
    longest = max(map(len, texts), default=0)
    if longest > _LONGEST_LABEL:  # every score gets a copy of its label, as long as the longest
        raise ScoresError(
            f"{table.label}: the cluster column {name!r} holds a label of {longest} characters, "
            f"more than {_LONGEST_LABEL}; number the clusters, or choose another column"
        )
    return np.array(texts)[index[rows]]


# -- labels ---------------------------------------------------------------------------------------


def _text(label: object) -> str:
    """A label as text: 1.0 and 1 are '1', True is 'true'."""
    if isinstance(label, bool | np.bool_):
        return str(bool(label)).lower()
    if isinstance(label, int | np.integer):
        return str(int(label))
    if isinstance(label, float | np.floating):
        return f"{label:.15g}"
    return str(label).strip()


def _key(label: str) -> str:
    """What makes two spellings of a label one."""
    return label.casefold()


def _factorized(cells: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """For each cell the index of its value (−1 where it is empty), and the values."""
    import pandas as pd

    index, values = pd.factorize(cells)
    return index, np.asarray(values)


def _distinct(labels: Iterable[object]) -> dict[str, None]:
    """Labels as text, in order, each spelling once."""
    spelled: dict[str, str] = {}
    for label in labels:
        spelled.setdefault(_key(_text(label)), _text(label))
    return dict.fromkeys(sorted(spelled.values()))


def _labels(table: DataTable, name: str) -> list[str]:
    """What a column holds if these can be labels; nothing if it has too many values for that."""
    cells = table.column(name)
    for part in (cells[:1000], cells):  # the first spares scores a pass over all of them
        _, values = _factorized(part)
        if values.size > _MOST_LABELS or any(len(_text(v)) > _LONGEST_LABEL for v in values):
            return []
    return list(_distinct(values))


def _in_label(labels: list[str]) -> str | None:
    """The one of two labels that means "in the data", if exactly one does."""
    known = [label for label in labels if re.sub(r"(?<=[a-z])[\W_]+", "", _key(label)) in IN_LABELS]
    return known[0] if len(labels) == 2 and len(known) == 1 else None


# -- guessing -------------------------------------------------------------------------------------


def _words(name: str) -> list[str]:
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return re.findall(r"[a-z0-9]+", apart.lower())


def _numeric(table: DataTable) -> list[str]:
    """Columns of numbers, or of text that is mostly numbers (a stray word must be reported)."""
    return [
        name
        for name, cells in table.columns.items()
        if (mostly_numbers(cells, table.decimal_comma) if cells.dtype == object else True)
        and cells.dtype != bool
    ]


def _named_pair(table: DataTable) -> tuple[str, str] | None:
    """Columns named as the two sides are, if there is one such pair."""
    by_key: dict[str, list[str]] = {}
    for name in [*table.columns, *table.unusable]:
        by_key.setdefault("".join(w for w in _words(name) if w not in _FILLER), []).append(name)
    found = [(a, b) for p, q in PAIRS for a in by_key.get(p, ()) for b in by_key.get(q, ())]
    if len(found) != 1:
        return None
    for name in found[0]:
        table.column(name)  # a side that is, say, a 2-d array is an error, not a reason to look on
    return found[0]


def _score_and_label(
    table: DataTable, score: str | None, member: str | None, cluster: str | None
) -> tuple[str, str] | None:
    """A column of scores and one of labels, if there is one of each."""
    if score is not None:
        table.column(score)
    free = [c for c in table.columns if c not in (score, member, cluster)]
    if member is None:
        few = {c: labels for c in free if (labels := _labels(table, c))}
        tiers = [[c for c in few if "".join(_words(c)) in names] for names in _LABEL_NAMES]
        tiers.append([c for c, labels in few.items() if _speaks(table.column(c), labels)])
        member = next((tier[0] for tier in tiers if len(tier) == 1), None)
    else:
        table.column(member)
    if score is None:
        numeric = [c for c in _numeric(table) if c in free and c != member]
        others = [c for c in numeric if not set(_words(c)) & _ID_WORDS]
        tiers = [[c for c in others if set(_words(c)) & _SCORE_WORDS], others]
        score = next((tier[0] for tier in tiers if len(tier) == 1), None)
    return None if score is None or member is None else (score, member)


def _speaks(cells: NDArray[Any], labels: list[str]) -> bool:
    """Whether a column is one of two labels by its looks: words, or 1 and another number."""
    return len(labels) == 2 and (cells.dtype.kind in "bO" or _in_label(labels) is not None)


def _one_side(table: DataTable, name: str | None, argument: str) -> str:
    """The column of scores of a file that holds one side."""
    if name is not None:
        table.column(name)
        return name
    others = [c for c in _numeric(table) if not set(_words(c)) & _ID_WORDS]
    for tier in ([c for c in others if set(_words(c)) & _SCORE_WORDS], others):
        if len(tier) == 1:
            return tier[0]
    raise ScoresError(
        f"{table.label} should hold the scores of one side, but it is open which column they are "
        f"in: {_listing(table)}. Name it with {argument}=, or with score= if both files call it "
        "the same"
    )


def _not_found(table: DataTable, numeric: list[str]) -> str:
    if len(table.columns) == 1 and len(numeric) == 1:
        return (
            f"{table.label} holds one column of scores, {numeric[0]!r}, and nothing that says "
            "which are of P and which of Q; give the file of Q with path_q=, or add a column of "
            "labels"
        )
    return (
        f"it is open where the scores of P and Q are in {table.label}: {_listing(table)}. Give "
        "p= and q= (one column for each side), or score= and member= (a column of scores and one "
        "of labels), or path_q= (one file per side)"
    )


def _listing(table: DataTable) -> str:
    """Columns with what they hold."""
    numeric = set(_numeric(table))
    columns = [
        f"{quoted(c)} (numbers{', mostly' * (cells.dtype == object)})"
        if c in numeric
        else f"{quoted(c)} (text)"
        for c, cells in islice(table.columns.items(), _MOST_LISTED)
    ]
    columns += [
        f"{quoted(c)} ({reason})" for c, reason in islice(table.unusable.items(), _MOST_LISTED)
    ]
    more = len(table.columns) + len(table.unusable) - len(columns)
    return (", ".join(columns) or "no columns") + (f" and {more} more" if more else "")
