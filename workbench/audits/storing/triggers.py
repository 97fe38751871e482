"""The triggers that keep rows of audits, plans and series as they were written."""

from __future__ import annotations

#: Tables whose rows never change.
_FIXED = ("audits", "cards", "figures", "contents", "attachments", "plans", "plan_uses", "series")

#: Tables with a row per audit, or several, and the column that has its key.
_OF_AN_AUDIT = {"audits": "key", "cards": "audit", "figures": "audit", "attachments": "audit"}

#: Tables whose rows stay.
_LASTING = ("plans", "plan_uses", "series", "series_audits")

_CHANGED = "what was saved is never changed: save a new version"
_DELETED = "what was saved is deleted only after it was removed"
_KEPT = "plans and series are kept"
_FILLED = "a position of a series is given once"


def triggers(dialect: str) -> list[str]:
    """The statements that make them.

    Parameters
    ----------
    dialect : {"sqlite", "postgresql"}
    """
    refuse = _refuse_on_postgresql if dialect == "postgresql" else _refuse_on_sqlite
    found = []
    for table in _FIXED:
        found += refuse(table, "UPDATE", _CHANGED)
    for table, column in _OF_AN_AUDIT.items():
        removed = f"EXISTS (SELECT 1 FROM removals WHERE removals.audit = OLD.{column})"
        found += refuse(table, "DELETE", _DELETED, f"NOT {removed}")
    for table in _LASTING:
        found += refuse(table, "DELETE", _KEPT)
    same = [f'OLD."{name}" = NEW."{name}"' for name in ("series", "position", "data_sha256")]
    first = " AND ".join([*same, "OLD.confidence = NEW.confidence", "OLD.audit IS NULL"])
    found += refuse("series_audits", "UPDATE", _FILLED, f"NOT ({first})")
    return [*found, *(_refuse_to_empty(table) for table in _FIXED if dialect == "postgresql")]


def _refuse_on_sqlite(table: str, change: str, why: str, unless: str = "1") -> list[str]:
    return [
        f"CREATE TRIGGER {table}_{change.lower()} BEFORE {change} ON {table} WHEN {unless} "
        f"BEGIN SELECT RAISE(ABORT, '{why}'); END"
    ]


def _refuse_on_postgresql(table: str, change: str, why: str, unless: str = "true") -> list[str]:
    name, row = f"{table}_{change.lower()}", "NEW" if change == "UPDATE" else "OLD"
    return [
        f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"IF {unless} THEN RAISE EXCEPTION '{why}'; END IF; RETURN {row}; END $$",
        f"CREATE TRIGGER {name} BEFORE {change} ON {table} FOR EACH ROW EXECUTE FUNCTION {name}()",
    ]


def _refuse_to_empty(table: str) -> str:
    """The trigger that refuses TRUNCATE, by the function that refuses every change."""
    return (
        f"CREATE TRIGGER {table}_truncate BEFORE TRUNCATE ON {table} FOR EACH STATEMENT "
        f"EXECUTE FUNCTION {table}_update()"
    )
