"""Files of canaries: what was drawn, from which seed, and whether it still is what was drawn."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from workbench import _checks, _json
from workbench.scores.refusals import quoted
from workbench.text.laws import SamplerLaw, SecretLaw, drawn_secrets, law_of
from workbench.text.refusals import CanaryTextError, EvidenceError

#: What such files say of themselves, and which version of the form this is.
FORMAT, VERSION = "workbench canaries of texts", 1


def content_of(canaries: Any) -> dict[str, Any]:
    """What a file says of canaries, without the digest.

    Parameters
    ----------
    canaries : Canaries
    """
    return {
        "format": FORMAT,
        "version": VERSION,
        "design": canaries.design,
        "values": canaries.values,
        "seed": canaries.seed,
        "kind": canaries.kind,
        "law": None if canaries.law is None else canaries.law.to_json(),
        "found": canaries.found,
        "before": list(canaries.before),
        "secrets": list(canaries.secrets),
        "after": list(canaries.after),
        "included": None if canaries.included is None else canaries.included.tolist(),
    }


def digest_of(canaries: Any) -> str:
    """SHA-256 of the content, in hexadecimal digits.

    Parameters
    ----------
    canaries : Canaries
    """
    return _digest(content_of(canaries))


def write(canaries: Any, path: str | os.PathLike[str]) -> None:
    """Write the file of canaries.

    Parameters
    ----------
    canaries : Canaries
    path : path
    """
    from workbench import __version__

    content = content_of(canaries)
    kept = content | {"digest": _digest(content), "workbench": __version__}
    Path(path).write_text(_json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def read(kind: Any, path: str | os.PathLike[str], sampler: object = None) -> Any:
    """The canaries of a file.

    Parameters
    ----------
    kind : type
        `Canaries`, which this module does not know.
    path : path
    sampler : callable, optional
        The function that drew the secrets, where one did.

    Raises
    ------
    EvidenceError
        As `Canaries.load`.
    """
    name = quoted(Path(path).name)
    try:
        kept = _json.loads(Path(path).read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise EvidenceError(f"{name} is no JSON file of canaries: {error}") from None
    if not isinstance(kept, dict) or kept.get("format") != FORMAT:
        raise EvidenceError(f"{name} is no file of canaries; Canaries.save writes one")
    if kept.get("version") != VERSION:
        raise EvidenceError(
            f"{name} has version {_checks.shown(kept.get('version'))} of the form, and this "
            f"workbench reads version {VERSION}; read it with the one that wrote it"
        )
    content = {key: value for key, value in kept.items() if key not in ("digest", "workbench")}
    if _digest(content) != kept.get("digest"):
        raise EvidenceError(
            f"{name} was changed after it was written: its digest is not that of its content; "
            "take the file as it was saved"
        )
    found = _canaries(kind, content, name, sampler)
    if content_of(found) != content:
        raise EvidenceError(
            f"the coins in {name} do not follow from its seed: somebody chose who is in; draw "
            "canaries anew before another training"
        )
    if not found.found and found.law is not None:
        again = drawn_secrets(found.law, found.seed, len(found), found.design)
        if again != found.secrets:
            raise EvidenceError(
                f"the secrets in {name} do not follow from its seed: somebody chose them, or "
                "sampler= is another; draw canaries anew before another training"
            )
    return found


def _canaries(kind: Any, content: dict[str, Any], name: str, sampler: object) -> Any:
    try:
        law: SecretLaw | None = None
        if content["law"] is not None:
            law = law_of(content["law"])
            if law is None:
                need = "the function that drew the secrets of this file"
                law = SamplerLaw(_checks.function(sampler, "sampler", need))
        return kind(
            tuple(content["before"]),
            tuple(content["secrets"]),
            tuple(content["after"]),
            design=content["design"],
            seed=content["seed"],
            values=content["values"],
            kind=content["kind"],
            law=law,
            found=content["found"],
        )
    except EvidenceError:
        raise
    except (KeyError, AttributeError, CanaryTextError) as error:
        raise EvidenceError(f"{name} is no file of canaries: {error}") from None


def _digest(content: dict[str, Any]) -> str:
    text = _json.dumps_ascii(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
