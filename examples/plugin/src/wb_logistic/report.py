"""Reports as plain text, for a log."""


def plain_text(audit):
    """One line for each number of an audit."""
    lines = [f"{number.title}: {number.shown}" for number in audit.numbers]
    return "\n".join([audit.name or audit.page, *lines]) + "\n"
