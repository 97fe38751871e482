"""Layouts guessed from the names and values of columns.

Only names and values that leave no doubt are taken; everything else is asked for. Clusters and
the direction of the score are never guessed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from workbench.scores.layouts.direction import SMALLER
from workbench.scores.layouts.labels import factorized, labels_of, spelling, text_of
from workbench.scores.layouts.layout import Layout
from workbench.scores.layouts.ranked import refuse_ranks
from workbench.scores.layouts.repeats import rows_of
from workbench.scores.layouts.senses import (
    OPEN_NAMES,
    PAIRS,
    are_sides,
    is_guess,
    member_label,
    members_first,
    name_words,
    sense_of,
    vocabulary,
)
from workbench.scores.layouts.tools import Recognized, recognized
from workbench.scores.ordered import Cells
from workbench.scores.parsing.cells import mostly_numbers
from workbench.scores.refusals import listed, quoted
from workbench.scores.sample import ScoresError
from workbench.scores.table import DataTable, is_unnamed

FILLER = vocabulary("score scores canary canaries loss losses value values sample samples")
_SCORE_WORDS = vocabulary(
    "score scores loss losses statistic stat value values logit logits confidence prob"
)
_ID_WORDS = vocabulary("id ids index idx row nr no seed run epoch step user subject cluster")
#: Words of columns that a learning curve has, a row for each epoch.
_CURVE_WORDS = vocabulary("epoch epochs step steps iteration iterations iter round lr")
#: Words of columns that number records.
_RECORD_WORDS = vocabulary("id ids idx index record sample example canary")
_MOST_LISTED = 12


@dataclass(frozen=True)
class Choices:
    """Columns that a person may choose from. See `choices`.

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
    """The columns of a table that may hold scores, labels and clusters."""
    labels = {c: tuple(found) for c in table.columns if len(found := labels_of(table, c)) > 1}
    return Choices(tuple(numeric_columns(table)), labels, tuple(table.columns))


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
    rows: str | None = None,
) -> Layout:
    """The layout of a table, or of one table per group; whatever is given is taken as it is.

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
    rows : str, optional
        The rows that are used, as of `Layout`.

    Returns
    -------
    Layout

    Raises
    ------
    ScoresError
        Nothing found without doubt, a column that does not exist, arguments that contradict
        each other.
    """
    if rows is not None:
        kept = [rows_of(one, rows) for one in (table, table_q) if one is not None]
        of_kept = guess_layout(
            *kept,
            p=p,
            q=q,
            score=score,
            member=member,
            member_value=member_value,
            cluster=cluster,
        )
        return replace(of_kept, rows=rows)
    labeled = score is not None or member is not None or member_value is not None
    if table_q is not None:
        if member is not None or member_value is not None:
            raise ScoresError("member= and member_value= have no use with one file per group")
        known = recognized((table, table_q))
        named = (score, score) if known is None or score is not None else known.sides
        of_p, of_q = named or (None, None)
        return Layout(
            "one file per group",
            p=_one_side(table, of_p if p is None else p, "p"),
            q=_one_side(table_q, of_q if q is None else q, "q"),
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
        refuse_ranks(table)
    known = recognized((table,))
    of_tool = _of_tool(table, known, score, member)
    if not labeled and of_tool is None:
        pair = _named_pair(table)
        if pair is not None:
            return Layout("two columns", p=pair[0], q=pair[1], cluster=cluster)
    found = of_tool or _score_and_label(table, score, member, cluster)
    if found is not None:
        score, member = found
        # Tools write 1 for members, whatever they call the column.
        sense = True if known is not None and member in known.labeled.values() else None
        value = (
            member_label(labels_of(table, member), member, sense)
            if member_value is None
            else text_of(member_value)
        )
        return Layout(
            "score and label", score=score, member=member, member_value=value, cluster=cluster
        )
    numeric = list(numeric_columns(table))
    if not labeled and len(numeric) == 2 and all(map(is_unnamed, table.columns)):
        return Layout("two columns", p=numeric[0], q=numeric[1], cluster=cluster)
    _check_named_scores(table, numeric)
    raise ScoresError(_not_found(table, numeric))


def check_order(tables: Sequence[DataTable], p: str | None, q: str | None) -> None:
    """Refuse two files whose names say that the first one has the non-members.

    Parameters
    ----------
    tables : sequence of DataTable
        One, or that of P and that of Q.
    p, q : str, optional
        The columns of scores: whoever names them has looked.

    Raises
    ------
    ScoresError
        The names say the opposite of the order.
    """
    if len(tables) != 2 or p is not None or q is not None:
        return
    first, second = tables
    if members_first(first.name, second.name, both=True) is False:
        raise ScoresError(
            f"{first.label} is given as the file of members and {second.label} as that of "
            "non-members, and their names say the opposite; exchange them, or name the columns of "
            "scores with p= and q= if the order is right"
        )


def _of_tool(
    table: DataTable, known: Recognized | None, score: str | None, member: str | None
) -> tuple[str, str] | None:
    """The columns of scores and of labels as the tool of the table writes them."""
    if known is None or not known.labeled:
        return None
    scores = [name for name in known.labeled if score in (None, name)]
    scores = [name for name in scores if member in (None, known.labeled[name])]
    if len(scores) > 1:
        raise ScoresError(_several(table, scores, known.column_remarks.values()))
    return (scores[0], known.labeled[scores[0]]) if scores else None


def _several(table: DataTable, scores: Sequence[str], remarks: Iterable[str] = ()) -> str:
    more = "".join(f". {remark}" for remark in remarks)
    return (
        f"{table.label} has {len(scores)} columns that may hold the scores, {listed(scores)}; "
        "choose one with score=, before you look at what each would give: the best of several, "
        f"chosen after looking, has no valid bound{more}"
    )


def score_columns(table: DataTable, member: str | None = None) -> list[str]:
    """The columns that may hold the scores, beside one of labels.

    Parameters
    ----------
    table : DataTable
    member : str, optional
        The column of labels; found by default.
    """
    known = recognized((table,))
    if known is not None and known.labeled:
        return list(known.labeled)
    member = _label(table, list(table.columns))[0] if member is None else member
    numeric = [c for c in numeric_columns(table) if c != member]
    return [c for c in numeric if not set(name_words(c)) & _ID_WORDS]


def numeric_columns(table: DataTable) -> list[str]:
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
        by_key.setdefault("".join(w for w in name_words(name) if w not in FILLER), []).append(name)
    found = [(a, b) for p, q in PAIRS for a in by_key.get(p, ()) for b in by_key.get(q, ())]
    if len(found) != 1:
        return None
    for name in found[0]:
        table.column(name)  # a 2-d array, say, is an error here, not a reason to look further
    numeric = {c for c in numeric_columns(table) if not set(name_words(c)) & _ID_WORDS}
    if all(are_sides(labels_of(table, name)) for name in found[0]) and numeric - set(found[0]):
        return None  # flags beside a column of scores
    _check_no_curve(table, found[0])
    return found[0]


def _check_no_curve(table: DataTable, pair: tuple[str, str]) -> None:
    """Refuse two columns that may be a learning curve: a row an epoch, not a record or run."""
    words = [set(name_words(name)) for name in pair]
    beside = [c for c in table.columns if c not in pair and set(name_words(c)) & _CURVE_WORDS]
    split = any(sense_of(word) is not None and word != "in" for word in words[0])
    losses = split and table.rows is not None and all(each & SMALLER for each in words)
    even = losses and len({table.filled.get(name) for name in pair}) == 1
    even = even and not any(set(name_words(c)) & _RECORD_WORDS for c in table.columns)
    if beside or (even and words[0] & {"train", "training"}):
        why = f"beside {listed(beside)} " if beside else ""
        raise ScoresError(
            f"{table.label}: {listed(pair)} {why}may be a learning curve, with a row for each "
            "epoch or step, which says nothing of single records. If each row holds a score of a "
            f"member and one of a non-member, say so with p={pair[0]!r} and q={pair[1]!r}"
        )


def _score_and_label(
    table: DataTable, score: str | None, member: str | None, cluster: str | None
) -> tuple[str, str] | None:
    """A column of scores and one of labels, if there is one of each."""
    if score is not None:
        table.column(score)
    free = [c for c in table.columns if c not in (score, member, cluster)]
    named = member is not None
    if member is None:
        member, named = _label(table, free)
    else:
        table.column(member)
    if score is None:
        numeric = [c for c in numeric_columns(table) if c in free and c != member]
        others = [c for c in numeric if not set(name_words(c)) & _ID_WORDS]
        if not others and cluster in numeric_columns(table):  # equal scores belong together
            others = [str(cluster)]
        tiers = [[c for c in others if set(name_words(c)) & _SCORE_WORDS], others]
        score = next((tier[0] for tier in tiers if len(tier) == 1), None)
        found = [] if member is None else labels_of(table, member)
        plain = named and member_label(found, str(member)) is not None
        if score is None and plain and others:
            raise ScoresError(_several(table, next(filter(None, tiers))))
    return None if score is None or member is None else (score, member)


def _label(table: DataTable, free: Sequence[str]) -> tuple[str | None, bool]:
    """The one column of labels among some, and whether its name says so."""
    few = {c: labels for c in free if not is_guess(c) and (labels := labels_of(table, c))}
    certain = [c for c in few if sense_of(c) is not None]
    if len(certain) > 1:
        return _of_one_mind(table, certain, few), True
    named = [[c for c in few if "".join(name_words(c)) in names] for names in OPEN_NAMES]
    tiers = [certain, *named, [c for c, labels in few.items() if _speaks(table.column(c), labels)]]
    member = next((tier[0] for tier in tiers if len(tier) == 1), None)
    return member, any(member in tier for tier in tiers[:-1])


def _of_one_mind(table: DataTable, names: list[str], few: dict[str, list[str]]) -> str:
    """The first of several columns of labels, if all say the same of every row."""
    sides = []
    for name in names:
        inside = member_label(few[name], name)
        index, values = factorized(table.column(name))
        wanted = None if inside is None else spelling(inside)
        known = [spelling(text_of(value)) == wanted for value in values]
        sides.append([known[i] if i >= 0 else None for i in index])
    if any(side != sides[0] for side in sides):
        raise ScoresError(
            f"{table.label} has {len(names)} columns that may say which rows are of members, "
            f"{listed(names)}, and they differ; choose one with member="
        )
    return names[0]


def _speaks(cells: Cells, labels: list[str]) -> bool:
    """Whether a column is one of two labels by its looks: words, or 1 and 0."""
    return len(labels) == 2 and (cells.dtype.kind in "bO" or are_sides(labels))


def _one_side(table: DataTable, name: str | None, argument: str) -> str:
    """The column of scores of a file that holds one side."""
    if name is not None:
        table.column(name)
        return name
    others = [c for c in numeric_columns(table) if not set(name_words(c)) & _ID_WORDS]
    for tier in ([c for c in others if set(name_words(c)) & _SCORE_WORDS], others):
        if len(tier) == 1:
            return tier[0]
    raise ScoresError(
        f"{table.label} should hold the scores of one side, but it is open which column they are "
        f"in: {_listing(table)}. Name it with {argument}=, or with score= if both files call it "
        "the same"
    )


def _check_named_scores(table: DataTable, numeric: Sequence[str]) -> None:
    """Say why a column that is named as scores holds none, where no other one does."""
    named = [c for c in [*table.columns, *table.unusable] if set(name_words(c)) & _SCORE_WORDS]
    if not set(named) & set(numeric):
        for name in named:
            table.numbers(name)


def _not_found(table: DataTable, numeric: list[str]) -> str:
    if len(table.columns) == 1 and len(numeric) == 1:
        return (
            f"{table.label} holds one column of scores, {numeric[0]!r}, and nothing that says "
            "which are of P and which of Q; give the file of Q with path_q=, or add a column of "
            "labels"
        )
    unnamed = [f"column {i}" for i in range(1, len(numeric) + 1)]
    if len(numeric) > _MOST_LISTED and list(table.columns) == unnamed:  # which needs no header
        rows = max(len(cells) for cells in table.columns.values())
        if rows == 1:
            return (
                f"{table.label} holds one row of {len(numeric)} numbers; scores stand one below "
                "the other: swap rows and columns, and give the file of the other side with "
                "path_q=, or the labels of the records with path_labels="
            )
    steps = [name for name in table.columns if set(name_words(name)) & _CURVE_WORDS]
    curve = (
        f" If it is a curve of a training, with a value for each {quoted(steps[0])}, it has no "
        "scores: an audit needs one of each record"
        if steps
        else ""
    )
    return (
        f"it is open where the scores of P and Q are in {table.label}: {_listing(table)}. Give "
        "p= and q= (one column for each side), or score= and member= (a column of scores and one "
        "of labels), path_labels= (the labels in a file of their own), or path_q= (one file per "
        f"group).{curve}".removesuffix(".")
    )


def _listing(table: DataTable) -> str:
    """Columns with what they hold."""
    numeric = set(numeric_columns(table))
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
