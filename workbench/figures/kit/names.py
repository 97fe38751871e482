"""`plain_name`: a name that people chose, in a chart."""

from __future__ import annotations

#: Characters of a name in the key of a chart.
LONGEST = 28


def plain_name(name: str, longest: int = LONGEST) -> str:
    """A name in one short line, without what a chart would take as markup.

    Parameters
    ----------
    name : str
    longest : int
        Characters at most.
    """
    text = " ".join(str(name).split()).replace("<", "‹").replace(">", "›").replace("&", "+")
    text = "".join(sign for sign in text.replace("%{", "% {") if sign.isprintable())
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
