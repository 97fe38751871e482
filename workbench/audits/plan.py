"""`RegisteredPlan`: the choices of an audit, written down before any score was seen."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any, Self

from workbench import _checks, _json
from workbench._format import percent, plain
from workbench._frames import to_frame
from workbench._markup import table
from workbench.bounds.counts.intervals import INTERVALS, current_name, interval_label
from workbench.claims.parse import parse_claim
from workbench.scores.sample import CLUSTER_RULES, SAMPLINGS

STOPPING = ("fixed", "anytime")

#: Characters of a name and of the words about the data.
LONGEST_TEXT = 10_000

#: Characters of a claim, with its fields.
LONGEST_CLAIM = 2000

#: Most bins, as of `workbench.histogram`.
MOST_BINS = 100_000

#: Digits of the hash by which people name a plan.
DIGITS = 8


@dataclass(frozen=True)
class RegisteredPlan:
    """The choices of an audit, written down before any score was seen.

    `wb.plan` makes one and stores it. What it leaves open, such as a threshold that is None, is not
    fixed in advance by it.

    Parameters
    ----------
    name : str
        For people; 1 to 10,000 characters.
    data : str
        Where the scores will come from, in words; 1 to 10,000 characters.
    created : datetime
        When it was stored, with a time zone.
    larger_is_member : bool
        Direction of the score.
    sampling, cluster_rule : str
        As of `workbench.Scores`.
    threshold : float, optional
        In score units.
    bins : mapping, optional
        Arguments of `workbench.histogram` that fix the bins without the scores: ``"range"`` and
        ``"bins"`` or ``"width"``, such as ``{"bins": 20, "range": [0, 1]}``.
    delta, confidence : float
    interval : str
        As of `workbench.epsilon_lower_bound`.
    claim : str
        Text of `workbench.parse_claim`; "" for none.
    n_p, n_q : int, optional
        Numbers of scores of members and of non-members.
    stopping : {"fixed", "anytime"}
        Whether the sizes are fixed, or the audit may end at any time. A bound at a threshold, and
        every other bound for fixed sizes, is not valid at a time that was chosen: only anytime
        bounds (`workbench.anytime_epsilon`) are.
    key : str
        Names it in its workspace; "" until it is stored.

    Raises
    ------
    TypeError
        A name or words that are not text, a time that is not a datetime.
    ValueError
        A value out of range, bins that depend on the scores, a claim that cannot be read.

    Notes
    -----
    That a plan was stored before the scores were seen cannot be proven by the plan itself: its time
    is that of the computer that stored it. Its hash, given to a reader in time, is the proof.
    """

    name: str
    data: str
    created: datetime
    larger_is_member: bool = True
    sampling: str = "unknown"
    cluster_rule: str = "mean"
    threshold: float | None = None
    bins: Mapping[str, Any] | None = None
    delta: float = 1e-5
    confidence: float = 0.95
    interval: str = "joint"
    claim: str = ""
    n_p: int | None = None
    n_q: int | None = None
    stopping: str = "fixed"
    key: str = ""

    to_frame = to_frame

    def __post_init__(self) -> None:
        checked = {
            "name": _words(self.name, "name", "what people call the plan"),
            "data": _words(self.data, "data", "where the scores will come from"),
            "created": _time(self.created),
            "larger_is_member": _checks.flag(self.larger_is_member, "larger_is_member"),
            "sampling": _checks.one_of(self.sampling, "sampling", SAMPLINGS),
            "cluster_rule": _checks.one_of(self.cluster_rule, "cluster_rule", CLUSTER_RULES),
            "threshold": _optional(self.threshold, _checks.number, "threshold"),
            "bins": None if self.bins is None else fixed_bins(self.bins),
            "delta": _checks.delta(self.delta),
            "confidence": _checks.confidence(self.confidence),
            "interval": _checks.one_of(
                current_name(_checks.text(self.interval, "interval")), "interval", tuple(INTERVALS)
            ),
            "claim": claim_text(self.claim),
            "n_p": _optional(self.n_p, _size, "n_p"),
            "n_q": _optional(self.n_q, _size, "n_q"),
            "stopping": _checks.one_of(self.stopping, "stopping", STOPPING),
            "key": _checks.text(self.key, "key"),
        }
        for field, value in checked.items():
            object.__setattr__(self, field, value)

    def __hash__(self) -> int:
        return hash(self.sha256)

    @property
    def sha256(self) -> str:
        """Hash of all choices and of the time."""
        values = {name: value for name, value in self.to_dict().items() if name != "key"}
        return hashlib.sha256(_json.dumps(values, sort_keys=True).encode()).hexdigest()

    @property
    def label(self) -> str:
        """What bounds and pages call it, such as "plan 3fa9c1d2": the first digits of its hash."""
        return label_of(self.sha256)

    def same_bound(self, other: RegisteredPlan) -> bool:
        """Whether another plan fixes the same bound and sizes, whatever its name and claim are.

        Parameters
        ----------
        other : RegisteredPlan
        """
        _checks.instance(other, RegisteredPlan, "other", "a plan; wb.plan makes one")
        names = (
            *("larger_is_member", "sampling", "cluster_rule", "threshold", "bins"),
            *("delta", "confidence", "interval", "n_p", "n_q", "stopping"),
        )
        return all(getattr(self, name) == getattr(other, name) for name in names)

    @property
    def choices(self) -> dict[str, str]:
        """What the plan fixes, in words, by what it is; what it leaves open is left out."""
        clusters = f"combined by {self.cluster_rule}" if self.sampling == "clustered" else None
        sizes = (self.n_p, self.n_q)
        rows: dict[str, str | None] = {
            "data": self.data,
            "direction": direction_text(self.larger_is_member),
            "independence of rows": sampling_text(self.sampling),
            "clusters": clusters,
            "threshold": None if self.threshold is None else number_text(self.threshold),
            "bins": None if self.bins is None else bins_text(self.bins),
            "δ": number_text(self.delta),
            "confidence": percent(self.confidence),
            "interval at the threshold": interval_label(self.interval),
            "claim": self.claim or None,
            "sample sizes": None if sizes == (None, None) else sizes_text(*sizes),
            "stopping rule": stopping_text(self.stopping),
        }
        return {what: said for what, said in rows.items() if said is not None}

    def explain(self) -> str:
        """The plan as sentences."""
        fixed = [
            what
            for what, value in (("the threshold", self.threshold), ("the bins", self.bins))
            if value is not None
        ]
        said = [
            f"Plan “{self.name}” was stored at {time_text(self.created)} with the hash "
            f"{self.sha256[:DIGITS]}.",
            f"The scores will come from: {self.data}.",
            f"{direction_text(self.larger_is_member).capitalize()}; rows: "
            f"{sampling_text(self.sampling)}"
            f"{f', clusters combined by {self.cluster_rule}' * (self.sampling == 'clustered')}.",
        ]
        if self.threshold is not None:
            said.append(f"The threshold is {number_text(self.threshold)}.")
        if self.bins is not None:
            said.append(f"The bins are {bins_text(self.bins)}.")
        if not fixed:
            said.append(
                "It fixes neither a threshold nor bins, so a bound that rests on one of them is "
                "not fixed in advance by this plan."
            )
        said.append(
            f"The bound is at δ = {plain(self.delta)} with {percent(self.confidence)} confidence, "
            f"by the interval “{interval_label(self.interval)}”."
        )
        if self.claim:
            said.append(f"The claim to test is {self.claim}.")
        if self.stopping == "anytime":
            said.append(
                "The audit may end at any time: only anytime bounds are valid then, and a bound at "
                "a threshold is not, because it needs sample sizes that are fixed."
            )
        elif self.n_p is None and self.n_q is None:
            said.append(
                "It does not state the sample sizes: a reader has to trust that they were not "
                "chosen because of a result."
            )
        else:
            said.append(f"The sample sizes are fixed: {sizes_text(self.n_p, self.n_q)}.")
        return " ".join(said)

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        bins = None if self.bins is None else dict(self.bins)
        return {**values, "bins": bins, "created": self.created.isoformat()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The plan that `to_dict` described.

        Raises
        ------
        TypeError, ValueError
            Something else.
        """
        _checks.instance(values, Mapping, "values", "a dict of RegisteredPlan.to_dict()")
        created = _checks.text(values.get("created"), "created")
        return cls(**{**values, "created": datetime.fromisoformat(created)})

    def __str__(self) -> str:
        return f"“{self.name}” ({self.label})"

    def _repr_html_(self) -> str:
        rows = [*self.choices.items(), ("SHA-256", self.sha256)]
        return table(f"Plan “{self.name}”", rows, f"stored at {time_text(self.created)}")


@dataclass(frozen=True)
class Deviation:
    """A choice of an audit that is not the one of its plan.

    Parameters
    ----------
    what : str
        Such as "the threshold".
    planned, done : str
    voids : bool
        Whether bounds that rest on the plan lose their guarantee by it.
    """

    what: str
    planned: str
    done: str
    voids: bool = True

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.fields(self)


def label_of(sha256: str) -> str:
    """What bounds and pages call the plan of a hash, such as "plan 3fa9c1d2"."""
    return f"plan {sha256[:DIGITS]}"


def fixed_bins(bins: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of `workbench.histogram` that fix the bins without the scores, as JSON values.

    Raises
    ------
    ValueError
        Bins that depend on the scores, an empty range, or more than 100,000 bins.
    """
    _checks.instance(bins, Mapping, "bins", 'a mapping such as {"bins": 20, "range": [0, 1]}')
    how = set(bins) - {"range"}
    if "range" not in bins or how not in ({"bins"}, {"width"}):
        raise ValueError(
            "bins must give the range and either the number of bins or their width, such as "
            '{"bins": 20, "range": [0, 1]}; everything else depends on the scores; got '
            f"{_checks.shown(dict(bins))}"
        )
    ends = bins["range"]
    if isinstance(ends, str) or not hasattr(ends, "__len__") or len(ends) != 2:
        raise ValueError(f"range must be two numbers, got {_checks.shown(ends)}")
    low, high = (_checks.number(end, "range") for end in ends)
    if not 0 < high - low < math.inf:
        raise ValueError(
            f"range must go from low to high, and no further than 1.8e308; got "
            f"{_checks.shown(ends)}"
        )
    if "width" in bins:
        width = _checks.positive(bins["width"], "width")
        many, kept = (high - low) / width, {"width": width}
    else:
        many = _checks.count(bins["bins"], "bins", least=2)
        kept = {"bins": many}
    if many > MOST_BINS:
        raise ValueError(f"bins must be at most {MOST_BINS:,}, got {_checks.shown(dict(bins))}")
    return {**kept, "range": [low, high]}


def claim_text(claim: str) -> str:
    """A claim as text that `workbench.parse_claim` reads; "" for none.

    Raises
    ------
    ValueError
        It cannot be read.
    """
    said = _checks.text(claim, "claim").strip()
    if len(said) > LONGEST_CLAIM:
        raise ValueError(
            f"claim must have at most {LONGEST_CLAIM:,} characters, such as 'approx(2, 1e-5)'; got "
            f"{_checks.shown(claim)}"
        )
    if said:
        parse_claim(said)
    return said


def direction_text(larger_is_member: bool) -> str:
    """The direction of a score in words."""
    return f"{'larger' if larger_is_member else 'smaller'} = member"


def sampling_text(sampling: str) -> str:
    """The independence of rows in words."""
    return "not stated" if sampling == "unknown" else sampling


def bins_text(bins: Mapping[str, Any]) -> str:
    """Bins in words."""
    if "rule" in bins:
        return f"by the rule “{bins['rule']}”, which takes them from the scores"
    how = f"{bins['bins']:,} bins" if "bins" in bins else f"of width {number_text(bins['width'])}"
    if bins.get("range") is None:
        return f"{how} over a range that is taken from the scores"
    low, high = map(number_text, bins["range"])
    return f"{how} from {low} to {high}"


def sizes_text(n_p: int | None, n_q: int | None) -> str:
    """Sample sizes in words."""
    p, q = ("any number of" if n is None else f"{n:,}" for n in (n_p, n_q))
    return f"{p} members and {q} non-members"


def stopping_text(stopping: str) -> str:
    """A stopping rule in words."""
    return "the audit may end at any time" if stopping == "anytime" else "fixed sample sizes"


def time_text(time: datetime) -> str:
    """A time in words, such as "2026-11-22 19:20 UTC"."""
    return f"{time.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def number_text(value: float) -> str:
    """A number that was chosen, with all of its digits."""
    return plain(value) if float(plain(value)) == value else repr(float(value))


def _words(value: Any, name: str, what: str) -> str:
    text = _checks.text(value, name).strip()
    if not 0 < len(text) <= LONGEST_TEXT:
        raise ValueError(
            f"{name} must have 1 to {LONGEST_TEXT:,} characters and say {what}; got "
            f"{_checks.shown(value)}"
        )
    if not _checks.storable(text):
        raise ValueError(
            f"{name} must be text that can be stored, without NUL and halves of characters; got "
            f"{_checks.shown(value)}"
        )
    return text


def _time(value: Any) -> datetime:
    time = _checks.instance(value, datetime, "created", "a datetime with a time zone")
    if time.tzinfo is None:
        raise ValueError(f"created must have a time zone, got {value!r}; use datetime.now(UTC)")
    return time.astimezone(UTC)


def _optional(value: Any, check: Any, name: str) -> Any:
    return None if value is None else check(value, name)


def _size(value: Any, name: str) -> int:
    return _checks.count(value, name, least=1)
