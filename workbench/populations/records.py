"""What a classifier sees of members and non-members: a table of typed columns, or texts.

Arrays become tables with one column for each feature. Nothing here has seen a model.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.processes.pool import one_thread
from workbench.scores import chance
from workbench.scores.sample import ScoresError
from workbench.software.extras import check
from workbench.synthetic.columns import SyntheticTablesError
from workbench.synthetic.encoding import encode
from workbench.synthetic.split_test import member_odds
from workbench.synthetic.tables import SyntheticTables, read_synthetic_tables

if TYPE_CHECKING:
    import pandas as pd

#: Members or non-members: a table, an array of features, or texts.
Records: TypeAlias = "pd.DataFrame | Mapping[str, Any] | NDArray[Any] | Sequence[str]"

#: What learns to tell members from non-members; the first is the default for tables.
CLASSIFIERS = ("naive Bayes", "logistic regression", "random forest")

#: Records that are needed in all, as for synthetic tables.
FEWEST = 50

#: Lengths of the n-grams of characters, and the most different ones that are counted.
NGRAMS = (1, 3)
_MOST_NGRAMS = 20_000

#: Words of synthetic tables -> words of populations.
_WORDS = {
    "records were in the training and": "members and",
    "in the non-members": "non-members",
    "the training table": "the members",
    "the holdout table": "the non-members",
    "training and held-out records": "members and non-members",
    "both are parts of one table, so give them": "give them",
}


@dataclass(frozen=True, eq=False)
class TableRecords:
    """Members and non-members as rows of typed columns, in random order.

    Attributes
    ----------
    tables : SyntheticTables
        The pool of both; its synthetic table is the pool again, of which no use is made.
    """

    tables: SyntheticTables

    kind = "table"
    usual = CLASSIFIERS[0]

    def __post_init__(self) -> None:
        _checks.fields(self)

    @property
    def member(self) -> NDArray[np.bool_]:
        """Whether each record is one of the members."""
        return self.tables.included

    @property
    def seed(self) -> int:
        """The random number of these records."""
        return self.tables.chance

    def scores(self, classifier: Any, learned: NDArray[np.bool_]) -> NDArray[np.float64]:
        """How member-like each record is, by what was learned on those ``learned``."""
        if classifier == "naive Bayes":
            return member_odds(self.tables, learned)
        encoded = encode(self.tables.pool, self.tables.synthetic, self.tables.used)
        features = encoded.vectors(encoded.pool)
        return _fitted(_model(classifier, self.seed), features, self.member, learned)


@dataclass(frozen=True, eq=False)
class TextRecords:
    """Members and non-members as texts, in random order.

    Attributes
    ----------
    texts : ndarray of str, shape (n,)
    member : ndarray of bool, shape (n,)
    seed : int
        The random number of these texts.
    """

    texts: NDArray[Any]
    member: NDArray[np.bool_]
    seed: int

    kind = "texts"
    usual = CLASSIFIERS[1]

    def __post_init__(self) -> None:
        _checks.fields(self)

    @classmethod
    def of(cls, members: list[str], others: list[str], seed: int | None) -> TextRecords:
        """Texts in an order that follows from the random number alone."""
        texts = np.array([*members, *others], dtype=object)
        member = np.repeat([True, False], [len(members), len(others)])
        order = np.array(sorted(range(texts.size), key=lambda i: (texts[i], member[i])), np.intp)
        parts = "\0".join(
            f"{text}\1{int(one)}" for text, one in zip(texts[order], member[order], strict=True)
        )
        digest = hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()
        drawn = chance.seed_of(chance.Fingerprint(digest, float(texts.size)), seed)
        order = order[chance.generator(drawn, "permutations").permutation(order.size)]
        return cls(texts[order], member[order], drawn)

    @cached_property
    def _grams(self) -> Any:
        from sklearn.feature_extraction.text import (  # type: ignore[import-untyped]
            CountVectorizer,
        )

        return CountVectorizer(
            analyzer="char_wb", ngram_range=NGRAMS, max_features=_MOST_NGRAMS, lowercase=False
        )

    def scores(self, classifier: Any, learned: NDArray[np.bool_]) -> NDArray[np.float64]:
        """How member-like each text is, by what was learned on those ``learned``."""
        check("sklearn", "telling texts apart needs")
        from sklearn.naive_bayes import MultinomialNB  # type: ignore[import-untyped]
        from sklearn.preprocessing import normalize  # type: ignore[import-untyped]

        self._grams.fit(self.texts[learned])
        counts = self._grams.transform(self.texts)
        if classifier == "naive Bayes":
            return _fitted(MultinomialNB(), counts, self.member, learned)
        features = normalize(counts.astype(float))
        return _fitted(_model(classifier, self.seed), features, self.member, learned)


def read_records(
    members: Records,
    non_members: Records,
    columns: Mapping[str, str] | None,
    seed: int | np.random.Generator | None,
) -> TableRecords | TextRecords:
    """Members and non-members as what a classifier sees.

    Parameters
    ----------
    members, non_members : DataFrame, dict of columns, array or sequence of texts
    columns : dict, optional
        The kind of some columns of a table.
    seed : int or numpy.random.Generator, optional

    Raises
    ------
    ScoresError
        Two kinds of records, arrays of different width, too few records, columns that differ.
    TypeError
        Neither a table, nor an array, nor texts.
    """
    given = chance.checked_seed(seed)
    known = [
        _known(one, name) for one, name in ((members, "members"), (non_members, "non_members"))
    ]
    if (kinds := [kind for kind, _ in known])[0] != kinds[1]:
        raise ScoresError(
            f"members are {kinds[0]} and non_members {kinds[1]}; give both in one form"
        )
    (kind, inside), (_, outside) = known
    if kind == "texts":
        if columns is not None:
            raise ScoresError(f"columns={columns!r} is for tables; texts have none")
        if len(inside) + len(outside) < FEWEST:
            raise ScoresError(
                f"{len(inside)} + {len(outside)} texts are too few to learn from and to test on; "
                f"give {FEWEST} or more"
            )
        return TextRecords.of(inside, outside, given)
    if kind == "arrays" and inside.shape[1] != outside.shape[1]:
        raise ScoresError(
            f"members have {inside.shape[1]} features and non_members {outside.shape[1]}; both "
            "need the same"
        )
    return TableRecords(_tables(_frame(inside), _frame(outside), columns, given))


def _known(given: Any, name: str) -> tuple[str, Any]:
    """The kind of records, and the records: a table, an array with two axes, or a list of texts."""
    if hasattr(given, "columns") or isinstance(given, Mapping):
        return "tables", given
    need = "a DataFrame, a dict of columns, an array of features or a sequence of texts"
    if isinstance(given, str) or not hasattr(given, "__len__"):
        raise TypeError(f"{name} must be {need}, got {_checks.shown(given)}")
    values = _checks.listed(given, name)
    if values.dtype.kind in "UO" and all(isinstance(one, str) for one in values.ravel()):
        if values.ndim != 1 or not values.size:
            raise ScoresError(f"{name} must be texts in one row, got shape {values.shape}")
        return "texts", [str(one) for one in values]
    array = _checks.array(given, name)
    if array.ndim not in (1, 2) or not array.size:
        raise ScoresError(
            f"{name} must be an array with a row for each record, got shape {array.shape}"
        )
    return "arrays", array.reshape(len(array), -1)


def _frame(records: Any) -> Any:
    """A table; the columns of an array are called "feature 0", "feature 1", …."""
    import pandas as pd

    if isinstance(records, np.ndarray):
        names = [f"feature {i}" for i in range(records.shape[1])]
        return pd.DataFrame(records, columns=names)
    return pd.DataFrame(dict(records)) if isinstance(records, Mapping) else records


def _tables(inside: Any, outside: Any, columns: Any, seed: int | None) -> SyntheticTables:
    import pandas as pd

    try:
        both = pd.concat([inside, outside], ignore_index=True)
        return read_synthetic_tables(inside, outside, both, columns=columns, seed=seed)
    except SyntheticTablesError as error:
        text = str(error)
        for word, ours in _WORDS.items():
            text = text.replace(word, ours)
        raise ScoresError(text) from None


def _model(classifier: Any, seed: int) -> Any:
    """An estimator of scikit-learn by its name, or the one that was given."""
    if not isinstance(classifier, str):
        return classifier
    check("sklearn", f"classifier={classifier!r} needs")
    from sklearn.ensemble import RandomForestClassifier  # type: ignore[import-untyped]
    from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

    state = seed % 2**32
    if classifier == "random forest":
        return RandomForestClassifier(100, min_samples_leaf=5, random_state=state, n_jobs=1)
    return LogisticRegression(max_iter=1000, random_state=state)


def _fitted(
    model: Any, features: Any, member: NDArray[np.bool_], learned: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Scores of all records by a model that is fitted on some of them."""
    if member[learned].all() or not member[learned].any():
        return np.zeros(member.size)
    with one_thread():
        model.fit(features[learned], member[learned])
        if hasattr(model, "decision_function"):
            found = model.decision_function(features)
        else:
            found = np.asarray(model.predict_proba(features))[:, 1]
    scores = np.asarray(found, float)
    if scores.shape != member.shape:
        raise ScoresError(
            f"the classifier gave scores of shape {scores.shape} for {member.size} records; it "
            "needs fit, and decision_function or predict_proba, of two classes"
        )
    return scores
