"""Names of memberships: whether a 1 in a column, or a label in it, means "in the training data".

Every reader asks here, so that all know the same words. A name is read only if each of its words is
known and together they have one sense; of every other name the sense is asked for. ``is_test``,
``nonmember`` and ``excluded_from_training`` mark non-members: there a 1 means "not in".
"""

from __future__ import annotations

import re


def vocabulary(words: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(words.split())


#: Each word of a name is of one class, whose letter stands for it in the patterns below.
_CLASSES = {
    "m": vocabulary("member members membership memberships"),
    "t": vocabulary("train training trainset trainingset"),
    "v": vocabulary("included inclusion includes seen trained keep keeps kept"),
    "k": vocabulary("nonmember nonmembers nonmembership"),
    "e": vocabulary("test testset val valset validation validationset eval evaluation "
                    "holdout holdoutset"),
    "z": vocabulary("out"),
    "O": vocabulary("outof"),
    "h": vocabulary("heldout leftout untrained"),
    "x": vocabulary("excluded unseen"),
    "w": vocabulary("unused omitted absent missing removed"),
    "N": vocabulary("not non no never"),
    "i": vocabulary("in"),
    "f": vocabulary("from"),
    "o": vocabulary("of"),
    "p": vocabulary("for during by to"),
    "u": vocabulary("used part present"),
}  # fmt: skip

_LETTERS = {word: letter for letter, words in _CLASSES.items() for word in words}

#: Two words that are one of the above.
_COMPOUND = {
    ("held", "out"): "heldout",
    ("left", "out"): "leftout",
    ("hold", "out"): "holdout",
    ("out", "of"): "outof",
    ("trained", "on"): "trained",
}

#: Words written together: "isnotinmember", "intrain", "nonmember".
_FUSED = re.compile(
    r"(is|was)?(not|non|no)?(in)?"
    r"(members?|memberships?|train|training|trained|test|holdout|heldout|seen|included|validation)"
)
_FUSED_SHORT = {"isin": "in", "isout": "out", "isval": "val", "notin": "not in"}

#: Words that say nothing, whatever is beside them.
_SILENT = vocabulary("is was are were be the a an flag indicator set data dataset")

#: Words that say nothing beside words of these classes.
_SILENT_BESIDE = {
    "mk": vocabulary("label labels status bit truth true ground gt"),
    "mktev": vocabulary("mask record row example canary"),
    "mktevxiO": vocabulary("sample"),
}

# Sequences of classes with one sense. "In" with a noun is a preposition, alone it is the sense.
_POSITIVE = r"i|i?m|[if]?t|vi?|v[ip]t|u[ipof]t"
_MEMBERS = re.compile(rf"{_POSITIVE}|t[mi]|m[oi]t")
_OTHERS = re.compile(rf"N(?:{_POSITIVE})|[if]?e|i?k|u[ipo]e|ek|z|Ot?|h(?:ft)?|x|[xw][ipf]t")

#: Ends the name of a column of labels from a file of their own, where the scores have that name.
FROM_LABELS = " of the labels file"

#: Names that a tool writes, and their sense.
_OF_TOOLS = {"challengebit": True, "challengebits": True}

#: Labels that say it only as the value of a row, beside those that names may have.
_IN_VALUES = vocabulary("p h1 mem insider")
_OUT_VALUES = vocabulary("q h0 nonmem outsider testing valid dev control reference population null")

#: Labels of which the first says yes and the second no, to what the name of the column asks.
_ANSWERS = (("1", "0"), ("true", "false"), ("t", "f"), ("yes", "no"), ("y", "n"), ("1", "-1"))

#: Words of columns that hold what an attack guesses, not what was.
_GUESSES = vocabulary(
    "pred preds predicted prediction predictions guess guessed guesses decision decisions "
    "estimate estimated inferred attack attacked output outputs hat"
)

#: Names of the columns or files of P and Q, without words such as "score" and "canary".
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

_P_WORDS, _Q_WORDS = (frozenset(pair[i] for pair in PAIRS) for i in (0, 1))

#: Names of columns that are more often the class of a record than its membership.
_CLASS_NAMES = vocabulary("label labels y class classes target targets")

#: Names, without separators, of columns that may hold labels and whose sense is open. "label",
#: "y" and "target" are more often the class of a record; they are tried last.
OPEN_NAMES = (
    vocabulary("bit world inout truelabel truelabels"),
    vocabulary("label labels group set split side status target y"),
)


def name_words(name: str) -> list[str]:
    """The words and numbers of a name in lower case: "trainLoss_2" is ["train", "loss", "2"]."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return re.findall(r"[^\W\d_]+|\d+", apart.lower())


def sense_of(name: str) -> bool | None:
    """Whether a 1 in a column of that name means "in the training data".

    Returns
    -------
    bool or None
        False where it means "not in"; None where the name leaves it open.
    """
    name = name.removesuffix(FROM_LABELS)
    if not re.fullmatch(r"[\s_]*\w[\w\s./:\-]*", name):  # a sign such as ! or a minus may negate it
        return None
    known = _OF_TOOLS.get(re.sub(r"[\W_]", "", name).lower())
    if known is not None:
        return known
    words: list[str] = []
    for word in name_words(name):
        words += _apart(word)
        if compound := _COMPOUND.get((words[-2], words[-1]) if len(words) > 1 else ("", "")):
            words[-2:] = [compound]
    sequence = "".join(_LETTERS.get(word, "") for word in words)
    others = [word for word in words if word not in _LETTERS and word not in _SILENT]
    for word in others:
        beside = [classes for classes, silent in _SILENT_BESIDE.items() if word in silent]
        if not any(set(classes) & set(sequence) for classes in beside):
            return None
    if _MEMBERS.fullmatch(sequence):
        return True
    return False if _OTHERS.fullmatch(sequence) else None


def _apart(word: str) -> list[str]:
    """The words of one that may be several written together."""
    if word in _LETTERS or word in _SILENT:
        return [word]
    if word in _FUSED_SHORT:
        return _FUSED_SHORT[word].split()
    match = _FUSED.fullmatch(word)
    return [part for part in match.groups() if part] if match else [word]


def members_first(first: str, second: str, *, both: bool = False) -> bool | None:
    """Whether the first of two files has the members, by their names; None if these do not say.

    Parameters
    ----------
    first, second : str
        Names of the files.
    both : bool
        Whether both names have to say it.
    """
    senses = sense_of(first), sense_of(second)
    if None not in senses and senses[0] is not senses[1]:
        return senses[0]
    one, two = _side_words(first), _side_words(second)
    one, two = one - two, two - one
    all_of = all if both else any
    forward = all_of((_speak(one, True), _speak(two, False)))
    backward = all_of((_speak(two, True), _speak(one, False)))
    return forward if forward != backward else None


def _side_words(name: str) -> frozenset[str]:
    """The words of a name; "non-member" is one word."""
    return frozenset(name_words(re.sub(r"non[\W_]*(?=member)", "non", name, flags=re.IGNORECASE)))


def _speak(words: frozenset[str], inside: bool) -> bool:
    """Whether one of some words is of members, or of non-members."""
    known = _P_WORDS if inside else _Q_WORDS
    return bool(words & known) or any(label_sense(word) is inside for word in words)


def is_guess(name: str) -> bool:
    """Whether a name says that a column holds the guesses of an attack."""
    return bool(set(name_words(name)) & _GUESSES)


def label_sense(label: str) -> bool | None:
    """Whether a label, as the value of a row, says "in the training data"; None if it is open."""
    whole = label.strip().lower()
    if whole in _IN_VALUES:
        return True
    return False if whole in _OUT_VALUES else sense_of(label)


def member_label(labels: list[str], name: str, sense: bool | None = None) -> str | None:
    """The one of two labels that says "in the training data"; None where that is not certain.

    Parameters
    ----------
    labels : list of str
        All different labels of a column.
    name : str
        Of the column: it has the sense of 1 and 0, true and false, yes and no, 1 and −1. Words
        such as "train" and "test" speak for themselves.
    sense : bool, optional
        That of the name, where it is known from elsewhere, as from the tool that wrote the file.
    """
    if is_guess(name) and sense is None:
        return None
    sense = sense_of(name) if sense is None else sense
    spelled = {label.strip().lower(): label for label in labels}
    if answers := _answers(spelled):
        return None if sense is None else spelled[answers[0 if sense else 1]]
    senses = {label: label_sense(label) for label in labels}
    if sense is False or sorted(map(repr, senses.values())) != ["False", "True"]:
        return None  # "in" in a column "nonmember" may be either
    return next(label for label, inside in senses.items() if inside)


def _answers(labels: dict[str, str]) -> tuple[str, str] | None:
    """The pair of yes and no that labels are."""
    return next((pair for pair in _ANSWERS if set(pair) == set(labels)), None)


def are_sides(labels: list[str]) -> bool:
    """Whether two labels are yes and no, or one says "in" and the other "not in"."""
    senses = {label_sense(label) for label in labels}
    two = len(labels) == 2
    return two and (_answers({x.strip().lower(): x for x in labels}) is not None
                    or senses == {True, False})  # fmt: skip


def why_open(labels: list[str], name: str) -> str:
    """Why it is open which label says "in the training data", as a phrase that follows the labels.

    Parameters
    ----------
    labels : list of str
    name : str
        Of the column.
    """
    if is_guess(name):
        return f"and {name!r} may be what an attack guesses, not what was in the training data"
    if sense_of(name) is not None:
        return f"which is no answer to what {name!r} asks"
    if "".join(name_words(name)) in _CLASS_NAMES:
        return f"and {name!r} may be the class of a record, or say that it was in the training data"
    return f"and {name!r} does not say which one means 'in the training data'"
