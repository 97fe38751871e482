"""`ClaimFields`: what a claim is about, beside its numbers.

The fields are those by which NIST SP 800-226 and registries of deployments describe a guarantee.
No bound depends on them; a verdict says where the audit is about something else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields

from workbench import _checks
from workbench._frames import to_frame

#: Trust models, or deployment models: who sees the data before noise is added.
MODELS = ("central", "local", "shuffle", "federated")

#: Other words for a neighboring relation -> ours.
_RELATIONS = {"substitution": "substitute", "bounded": "substitute", "unbounded": "add-remove"}

#: Characters of a field.
LONGEST = 200

#: A field as text shows it without quotation marks.
_BARE = re.compile(r"\w[\w .:/-]*")


@dataclass(frozen=True)
class ClaimFields:
    """What a claim is about, beside its numbers; "" where nobody stated it.

    Parameters
    ----------
    unit : str
        Unit of privacy: whose data differ between neighboring datasets, such as "record", "user",
        "household" or "user-day".
    neighbors : str
        Neighboring relation: "add-remove" (also called unbounded) or "substitute" (bounded, or
        substitution).
    mechanism : str
        What adds the noise, such as "discrete Gaussian" or "DP-SGD".
    accountant : str
        How privacy losses are added up, such as "zCDP" or "PLD".
    model : str
        Trust model: "central", "local", "shuffle" or "federated".
    boundary : str
        What is released, and to whom, such as "model weights, public".

    Raises
    ------
    ValueError
        A relation or a model of another name, a field of more than 200 characters, with a
        quotation mark or a line break.

    References
    ----------
    Near, Darais, Lefkovitz and Howarth, Guidelines for evaluating differential privacy guarantees,
    NIST SP 800-226, 2025.

    Nanayakkara, Ghazi and Vadhan, Practitioners' perspectives on a differential privacy deployment
    registry, 2025, arXiv 2509.13509.

    Examples
    --------
    >>> print(wb.claims.ClaimFields(unit="user", neighbors="bounded"))
    unit=user, neighbors=substitute
    """

    unit: str = ""
    neighbors: str = ""
    mechanism: str = ""
    accountant: str = ""
    model: str = ""
    boundary: str = ""

    to_frame = to_frame

    def __post_init__(self) -> None:
        for name in NAMES:
            object.__setattr__(self, name, _words(getattr(self, name), name))
        if self.neighbors:
            object.__setattr__(self, "neighbors", _relation(self.neighbors))
        if self.model:
            model = _checks.one_of(self.model.casefold(), "model", MODELS)
            object.__setattr__(self, "model", model)

    @property
    def given(self) -> dict[str, str]:
        """The fields that were stated, by name."""
        return {name: value for name in NAMES if (value := getattr(self, name))}

    def __str__(self) -> str:
        """The fields as a claim's text has them: "unit=user, neighbors=substitute"."""
        return ", ".join(
            f"{name}={value}" if _BARE.fullmatch(value) else f'{name}="{value}"'
            for name, value in self.given.items()
        )


#: Names of the fields.
NAMES = tuple(one.name for one in fields(ClaimFields))

#: Name of a field -> what people call it.
LABELS = {
    "unit": "Unit of privacy",
    "neighbors": "Neighboring relation",
    "mechanism": "Mechanism",
    "accountant": "Accountant",
    "model": "Trust model",
    "boundary": "Boundary",
}

_FIELD = re.compile(rf',\s*({"|".join(NAMES)})\s*=\s*("[^"]*"|[^",()=+]*)', re.IGNORECASE)


def split_fields(text: str) -> tuple[str, ClaimFields]:
    """A text without the fields in it, and the fields.

    Parameters
    ----------
    text : str
        Fields stand behind a comma, as in ``"approx(1, 1e-5, unit=user)"``; a value with commas,
        brackets, "=" or "+" stands in double quotation marks.

    Raises
    ------
    ValueError
        A field without a value, one that is there twice, or those of `ClaimFields`.
    """
    found: dict[str, str] = {}
    for name, value in _FIELD.findall(text):
        own, said = name.lower(), value.strip().strip('"').strip()
        if not said or own in found:
            what = "twice" if own in found else "without a value"
            raise ValueError(f"{own} stands {what} in {_checks.shown(text)}; write {own}=… once")
        found[own] = said
    return (_FIELD.sub("", text), ClaimFields(**found)) if found else (text, ClaimFields())


def read_fields(text: str) -> ClaimFields:
    """The fields of a text such as ``"unit=user, neighbors=substitute"``; "" has none.

    Parameters
    ----------
    text : str

    Raises
    ------
    ValueError
        As of `split_fields`; something that is no field.
    """
    said = _checks.text(text, "fields").strip()
    rest, found = split_fields(f",{said}" if said else "")
    if rest:
        raise ValueError(
            f"{_checks.shown(rest.lstrip(', '))} is no field of a claim; write fields as "
            f"unit=user, neighbors=substitute; there are {', '.join(NAMES)}"
        )
    return found


def is_record(unit: str) -> bool:
    """Whether a unit of privacy is a single record, whatever it is called."""
    own = unit.casefold().removesuffix("level").strip(" -")
    return own in ("", "record", "row", "example", "sample", "tuple")


def same_unit(a: str, b: str) -> bool:
    """Whether two units of privacy are called the same, up to case and "-level"."""
    own, other = (one.casefold().removesuffix("level").strip(" -") for one in (a, b))
    return own == other or (is_record(a) and is_record(b))


def _words(value: str, name: str) -> str:
    text = " ".join(_checks.text(value, name).split())
    if len(text) > LONGEST or '"' in text or not (text.isprintable() and _checks.storable(text)):
        raise ValueError(
            f"{name} must be at most {LONGEST} printable characters without quotation marks; got "
            f"{_checks.shown(value)}"
        )
    return text


def _relation(stated: str) -> str:
    from workbench.pairs.accounting.dpsgd import NEIGHBORING

    name = stated.casefold().replace("_", "-").replace(" ", "-")
    return _checks.one_of(_RELATIONS.get(name, name), "neighbors", NEIGHBORING)
