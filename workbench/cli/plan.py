"""`workbench plan`: plans of audits, stored before any score is opened."""

from __future__ import annotations

import argparse
from contextlib import closing
from typing import Any

import workbench as wb
from workbench._markup import visible
from workbench.cli.output import say, to_json
from workbench.cli.parser import CommandParser
from workbench.scores.sample import CLUSTER_RULES, SAMPLINGS


def add(command: CommandParser) -> None:
    """Add the commands of `plan`."""
    command.description = (
        "Plans of audits. A bound at a threshold is valid if the threshold was fixed before the "
        "scores were seen: store a plan, then open the scores. The environment variable "
        "WORKBENCH_HOME names another folder, WORKBENCH_DATABASE another database."
    )
    actions = command.add_subparsers(required=True, metavar="ACTION")

    action = actions.add_parser("add", help="store a plan, which is never changed")
    action.set_defaults(run=add_plan)
    action.add_argument("name", metavar="NAME")
    action.add_argument(
        "--data", required=True, metavar="WORDS", help="where the scores will come from, in words"
    )
    action.add_argument("--threshold", type=float, metavar="T")
    action.add_argument("--bins", type=int, metavar="K", help="number of bins; needs --range")
    action.add_argument("--width", type=float, metavar="W", help="of the bins; needs --range")
    action.add_argument("--range", type=float, nargs=2, metavar=("LOW", "HIGH"), help="of the bins")
    action.add_argument(
        "--smaller-is-member", action="store_true", help="smaller scores suggest membership"
    )
    action.add_argument("--sampling", choices=SAMPLINGS, default="unknown")
    action.add_argument("--cluster-rule", choices=CLUSTER_RULES, default="mean")
    action.add_argument("--delta", type=float, default=1e-5)
    action.add_argument("--confidence", type=float, default=0.95)
    action.add_argument("--interval", default="joint", help="as of wb.epsilon_lower_bound")
    action.add_argument("--claim", default="", help='the claim to test, such as "approx(2, 1e-5)"')
    action.add_argument("--n-p", type=int, metavar="N", help="number of scores of members")
    action.add_argument("--n-q", type=int, metavar="N", help="number of scores of non-members")
    action.add_argument(
        "--stopping",
        choices=("fixed", "anytime"),
        default="fixed",
        help="whether the sizes are fixed, or the audit may end at any time",
    )

    action = actions.add_parser("list", help="list the plans, the newest first")
    action.set_defaults(run=list_plans)
    action.add_argument("--json", action="store_true", help="as JSON, with hashes and keys")

    action = actions.add_parser("show", help="show a plan and the data that it was used for")
    action.set_defaults(run=show_plan)
    action.add_argument("name", metavar="NAME", help="its name, its key, or the start of its hash")
    action.add_argument("--json", action="store_true", help="as JSON")


def add_plan(arguments: argparse.Namespace) -> int:
    """Store a plan and print it."""
    with closing(wb.workspace()) as workspace:
        found = wb.plan(
            arguments.name,
            arguments.data,
            threshold=arguments.threshold,
            bins=_bins(arguments),
            larger_is_member=not arguments.smaller_is_member,
            sampling=arguments.sampling,
            cluster_rule=arguments.cluster_rule,
            delta=arguments.delta,
            confidence=arguments.confidence,
            interval=arguments.interval,
            claim=arguments.claim,
            n_p=arguments.n_p,
            n_q=arguments.n_q,
            stopping=arguments.stopping,
            workspace=workspace,
        )
    _show(found)
    say("Open the scores now: 'workbench data add FILE', or on the page.")
    return 0


def list_plans(arguments: argparse.Namespace) -> int:
    """Print the plans."""
    with closing(wb.workspace()) as workspace:
        found = list(workspace.audits.plans)
    if arguments.json:
        say(to_json({"plans": [_row(one) for one in found]}))
        return 0
    if not found:
        say("no plans yet; store one with 'workbench plan add NAME --data WORDS --threshold T'")
    for one in found:
        say(f"{one.sha256[:8]}  {one.created.astimezone():%Y-%m-%d %H:%M}  {one.name!r}")
    return 0


def show_plan(arguments: argparse.Namespace) -> int:
    """Print a plan and its uses."""
    with closing(wb.workspace()) as workspace:
        plans = workspace.audits.plans
        hashed = [one for one in plans if one.sha256.startswith(arguments.name)]
        found = hashed[0] if len(arguments.name) >= 8 and len(hashed) == 1 else None
        found = plans[arguments.name] if found is None else found
        uses = plans.uses(found)
    if arguments.json:
        used = [{"sha256": use.data_sha256, "used": use.used.isoformat()} for use in uses]
        say(to_json({**_row(found), "uses": used}))
        return 0
    _show(found)
    for use in uses:
        say(f"used for data with the SHA-256 {use.data_sha256} at {use.used:%Y-%m-%d %H:%M:%S} UTC")
    return 0


def _bins(arguments: argparse.Namespace) -> dict[str, Any] | None:
    given = {"bins": arguments.bins, "width": arguments.width, "range": arguments.range}
    named = {name: value for name, value in given.items() if value is not None}
    if named and ("range" not in named or len(named) != 2):
        raise ValueError("bins need --range LOW HIGH and either --bins K or --width W")
    return named or None


def _show(plan: wb.RegisteredPlan) -> None:
    rows = {"plan": plan.name, **plan.choices, "stored": plan.created.isoformat(" ", "seconds")}
    width = max(map(len, rows))
    for what, said in rows.items():
        say(f"{what:<{width}}  {visible(said)}")
    say(f"{'SHA-256':<{width}}  {plan.sha256}")


def _row(plan: wb.RegisteredPlan) -> dict[str, Any]:
    return {**plan.to_dict(), "sha256": plan.sha256}
