"""`log` and `flush`: results into experiment trackers, with their guarantees."""

from __future__ import annotations

import logging
import os
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

from workbench import _checks, _json
from workbench._frames import to_frame
from workbench._markup import escape_json
from workbench.audits.audit import Audit
from workbench.bounds.bound import Bound
from workbench.live.audit import LiveAudit
from workbench.software.versions import software
from workbench.trackers.entries import LogEntry
from workbench.trackers.naming import key_of, logged_numbers, path_of
from workbench.trackers.recognizing import run_of
from workbench.trackers.runs import TrackedRun
from workbench.trackers.sending import sender_of, sent_at_once
from workbench.trackers.waiting import FOLDER as WAITING
from workbench.trackers.waiting import WaitingFolder

messages = logging.getLogger(__name__)

#: Seconds that a call waits for a tracker.
TIMEOUT = 10.0

#: Bounds, each with a name of its own, or "".
Named: TypeAlias = list[tuple[str, Bound]]

#: What a name may be made of in both trackers.
_NAME = re.compile(r"[\w .-]+", re.ASCII)


@dataclass(frozen=True)
class LogReceipt:
    """What was logged, and whether the tracker has it.

    Attributes
    ----------
    names : str
        Of the numbers in the tracker, with commas between.
    waiting : int
        How many entries wait for the tracker; 0 if it has everything.
    """

    names: str
    waiting: int

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.fields(self)


def log(
    result: Any,
    run: Any,
    *,
    name: str = "",
    step: int | None = None,
    card: Audit | None = None,
    queue: str | os.PathLike[str] = WAITING,
    timeout: float = TIMEOUT,
) -> LogReceipt:
    """Log bounds to a run of MLflow or Weights & Biases, with their guarantees and their card.

    The numbers are named by what they are, such as
    ``dp_audit/epsilon_lower_delta_1e-05_95pct_anytime``: an estimate ends in ``estimate``, a bound
    that is not valid in ``not_valid``. Beside each are texts with its guarantee, assumption,
    family, method, sizes and note. A file of the same name, ``….json``, has the whole bound, and
    ``dp_audit/audit-card.json`` the audit card of an audit.

    Parameters
    ----------
    result : Bound, live audit, Audit, result with a ``bound``, or several bounds
        Several as a list, or as a dict from names to bounds.
    run : object
        The module ``mlflow`` or ``wandb`` with an active run, or a run of either.
    name : str
        A folder in the names, where a run has several results of one kind.
    step : int, optional
        Of the training; that of a live audit by default, else 0.
    card : Audit, optional
        The audit that the bounds belong to, for its card.
    queue : path
        The folder where entries wait until the tracker has them. Each is written there first.
    timeout : float
        Seconds that are waited for the tracker, at most.

    Returns
    -------
    LogReceipt

    Raises
    ------
    TypeError
        A number without its guarantee, or no run of a tracker. What a tracker or a network raises
        is not raised: the entry waits, a warning says so once, and the next call sends it.
    ValueError
        Two bounds with one name; a name with other signs than letters, digits and "_ .-".

    Examples
    --------
    ::

        with mlflow.start_run() as run:
            wb.trackers.log(wb.epsilon_lower_bound(scores, delta=1e-5), run)
    """
    bounds, audit, more = _read(result)
    audit = audit if card is None else _checks.instance(card, Audit, "card", "a wb.Audit")
    _require_name(name)
    seconds = _checks.non_negative(timeout, "timeout")
    at = more.pop("step", 0) if step is None else _checks.count(step, "step")
    folder = WaitingFolder(_folder(queue))
    for own, _ in bounds:
        _require_name(own)
    if not bounds:
        raise ValueError("there is no bound in this result; give one or more")
    numbers, texts = logged_numbers((path_of(name, own), one) for own, one in bounds)
    tracked = run_of(run)
    entry = LogEntry(
        kind=tracked.kind,
        where=tracked.where,
        run=tracked.run,
        step=at,
        numbers=numbers,
        texts=texts | {path_of(name, key): str(value) for key, value in more.items()},
        files=_files(name, bounds, audit, at, more),
    )
    waiting = _send(entry, tracked, folder, seconds)
    return LogReceipt(", ".join(numbers), waiting)


def flush(
    run: Any, *, queue: str | os.PathLike[str] = WAITING, timeout: float = 6 * TIMEOUT
) -> int:
    """The number of entries that still wait for a tracker, after those that wait were sent.

    Parameters
    ----------
    run : object
        As of `log`. Of MLflow, any run on the same server; of Weights & Biases the run itself,
        which may have been resumed.
    queue, timeout
        As of `log`.
    """
    seconds = _checks.non_negative(timeout, "timeout")
    folder = WaitingFolder(_folder(queue))
    tracked = run_of(run)
    try:
        return sender_of(tracked, folder).send(seconds)
    except OSError:
        messages.warning("the entries in %s cannot be read", folder.path, exc_info=True)
        return 0


def _send(entry: LogEntry, tracked: TrackedRun, folder: WaitingFolder, seconds: float) -> int:
    try:
        folder.add(entry)
        return sender_of(tracked, folder).send(seconds)
    except OSError as error:  # a full disk: straight to the tracker, or into the log
        messages.warning("no entry for a tracker can be kept in %s: %s", folder.path, error)
    if sent_at_once(tracked, entry, seconds):
        return 0
    kept = entry.to_json()
    messages.error("%s took no entry, which is only here: %s", tracked.kind, kept)
    return 1


def _read(result: Any) -> tuple[Named, Audit | None, dict[str, Any]]:
    """The bounds of a result with their names, its audit, and what else is known."""
    if isinstance(result, LiveAudit):
        state = result.state
        more = {"step": state.seen, "seen": f"{state.seen} {state.unit}"}
        more |= {"claim": state.verdict} if state.claim is not None else {}
        more |= {"notes": " ".join(state.notes)} if state.notes else {}
        return [("", state.epsilon), ("", state.mu)], None, more
    if isinstance(result, Audit):
        found = result.bounds.items()
        keys = Counter(key_of(one) for _, one in found)
        return [(name if keys[key_of(one)] > 1 else "", one) for name, one in found], result, {}
    if isinstance(result, Mapping):
        named = [(_checks.text(name, "a name"), _bound(one)) for name, one in result.items()]
        return named, None, {}
    if isinstance(result, list | tuple):
        return [("", _bound(one)) for one in result], None, {}
    return [("", _bound(result))], None, {}


def _bound(result: Any) -> Bound:
    found = result if isinstance(result, Bound) else getattr(result, "bound", None)
    if not isinstance(found, Bound):
        raise TypeError(
            "only a bound is logged, which states its guarantee; a number would be taken for "
            "more than it is. Give a wb.Bound, such as wb.epsilon_lower_bound or wb.gdp_fit "
            f"returns, a live audit or a wb.Audit, got {_checks.shown(result)}"
        )
    return found


def _files(
    name: str, bounds: Named, audit: Audit | None, step: int, more: dict[str, Any]
) -> dict[str, str]:
    """The card of each bound, and that of the audit, by the name of the file."""
    made = datetime.now(UTC).isoformat(timespec="seconds")
    around = {"step": step, **more, "made": made, "software": dict(software())}
    files = {}
    for own, bound in bounds:
        whole = {"statement": str(bound), "bound": bound.to_dict(), **around}
        text = _json.dumps(_json.plain(whole, "text"), indent=2)
        files[f"{path_of(name, own, key_of(bound))}.json"] = f"{text}\n"
    if audit is not None:
        card = _json.dumps(audit.to_dict(), indent=2)
        files[path_of(name, "audit-card.json")] = f"{escape_json(card)}\n"
    return files


def _require_name(name: str) -> None:
    if _checks.text(name, "name") and not _NAME.fullmatch(name):
        raise ValueError(
            f"a name in trackers has letters, digits, spaces and _.- only, got {name!r}"
        )


def _folder(queue: Any) -> Path:
    _checks.instance(queue, (str, os.PathLike), "queue", "the path of a folder")
    return Path(queue).absolute()  # a program may change its folder meanwhile
