"""What the container files, the unit and the pages say is what the package is."""

from __future__ import annotations

import json
import re
import shlex
import tomllib

import pytest
from helpers.servers import ROOT

from workbench.cli import _parser
from workbench.dashboard.limits import ServerLimits
from workbench.server.options import ServerOptions

DEPLOYMENT = ROOT / "docs" / "deployment"


def lines(name):
    """The instructions of a file, each in one line."""
    text = re.sub(r"(?m)^\s*#.*\n", "", (DEPLOYMENT / name).read_text(encoding="utf-8"))
    return text.replace("\\\n", " ").splitlines()


CONTAINER = lines("Containerfile")


def instruction(name):
    """What stands behind the last instruction of a name."""
    return [line.partition(" ")[2].strip() for line in CONTAINER if line.startswith(f"{name} ")][-1]


@pytest.fixture(scope="module")
def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def options_of(command):
    """The options of a command line, as `workbench serve` reads them."""
    parser = _parser()
    program, *given = command
    assert program.rsplit("/")[-1] == "workbench"
    return parser.parse_args(given)


#: Python of the releases of Debian.
PYTHON = {"bookworm": "3.11", "trixie": "3.13"}


def test_the_base_has_a_python_that_the_package_runs_with(project):
    release = re.search(r"ARG BASE=docker\.io/library/debian:(\w+)-slim", "\n".join(CONTAINER))[1]
    least = project["requires-python"].removeprefix(">=")
    as_numbers = [tuple(map(int, one.split("."))) for one in (PYTHON[release], least)]
    assert as_numbers[0] >= as_numbers[1]


def test_it_installs_what_the_package_names_with_pinned_versions(project):
    (install,) = (line for line in CONTAINER if "pip install" in line)
    extras = re.search(r"'\.\[([a-z,]+)\]'", install)[1].split(",")
    assert set(extras) <= set(project["optional-dependencies"])
    assert "PIP_CONSTRAINT=/src/constraints.txt" in install
    copied = {word for line in CONTAINER if line.startswith("COPY ") for word in line.split()[1:-1]}
    needed = {
        "pyproject.toml",
        "constraints.txt",
        project["readme"],
        "LICENSE",
        "data",
        "workbench",
    }
    assert copied - {"--from=build", "/opt/workbench"} == needed
    assert all((ROOT / one).exists() for one in needed)
    kept = {line[1:] for line in lines("Containerfile.dockerignore") if line.startswith("!")}
    assert kept == needed


def test_it_runs_the_server_as_nobody_in_particular():
    arguments = options_of(json.loads(instruction("ENTRYPOINT")))
    assert str(arguments.port) == instruction("EXPOSE")
    assert arguments.address == "0.0.0.0"
    assert arguments.no_open
    assert int(instruction("USER")) > 1000
    assert instruction("STOPSIGNAL") == "SIGTERM"
    home = re.search(r"WORKBENCH_HOME=(\S+)", instruction("ENV"))[1]
    assert home == instruction("VOLUME")
    assert f"HEALTH=http://127.0.0.1:{arguments.port}/health" in instruction("ENV")
    asks = "urlopen(os.environ['HEALTH']"
    assert asks in instruction("HEALTHCHECK")


def test_no_layer_has_a_secret():
    text = "\n".join(CONTAINER)
    assert not re.search(r"SECRET|TOKEN|PASSWORD|COPY \. ", text)


def test_the_compose_file_gives_options_that_there_are():
    text = (DEPLOYMENT / "compose.yaml").read_text(encoding="utf-8")
    given = re.findall(r"^      - (--\S+)$", text, re.MULTILINE)
    entry = json.loads(instruction("ENTRYPOINT"))
    arguments = options_of([*entry, *given])
    (proxy,) = (one.removesuffix("/32") for one in arguments.proxy)
    assert f"inside: {{ipv4_address: {proxy}}}" in text
    root = arguments.root_path
    assert f"HEALTH: http://127.0.0.1:{arguments.port}{root}/health" in text
    assert f"path {root} {root}/*" in text
    caddyfile = (DEPLOYMENT / "Caddyfile").read_text(encoding="utf-8")
    inside = text.split("content: |")[1].split("\nsecrets")[0].split("# secrets")[0]
    wanted = [line.split("#")[0].split() for line in caddyfile.splitlines()]
    found = [
        line.split() for line in inside.replace("workbench:5006", "127.0.0.1:5006").splitlines()
    ]
    assert [line for line in found if line] == [line for line in wanted if line]


def unit():
    found = [line.partition("=") for line in lines("workbench.service")]
    return {name: value for name, sign, value in found if sign}


def test_the_unit_gives_the_server_time_to_stop():
    settings = unit()
    arguments = options_of(shlex.split(settings["ExecStart"]))
    within = max(arguments.stop_within, ServerOptions().stop_within)
    assert float(settings["TimeoutStopSec"]) > within + 10
    assert settings["KillSignal"] == "SIGTERM"
    assert settings["KillMode"] == "mixed"  # workers are ended by the server, not by the signal
    assert re.search(rf"stop_grace_period: {settings['TimeoutStopSec']}s", compose())


def compose():
    return (DEPLOYMENT / "compose.yaml").read_text(encoding="utf-8")


def test_the_memory_of_the_unit_is_enough_for_all_jobs():
    limits = ServerLimits.shared()
    gigabytes = float(unit()["MemoryMax"].removesuffix("G"))
    pages = 4
    assert (gigabytes - pages) * 2**30 >= limits.jobs * limits.job_memory
    assert f"mem_limit: {gigabytes:.0f}g" in compose()
