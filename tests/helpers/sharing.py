"""People who share on a server, without HTTP: their workspaces, and benches that are told."""

from __future__ import annotations

from helpers.visits import Reader, settle, tabs, wait
from workbench.dashboard.services import Services
from workbench.dashboard.visitor.session import VisitorSession
from workbench.server.people.person import Person, Role
from workbench.server.sharing.grants import Grants
from workbench.server.sharing.lending import Lending
from workbench.server.sharing.lent import LentData
from workbench.server.sharing.person_sharing import PersonSharing
from workbench.server.storing.database import ServerDatabase
from workbench.workspaces.workspace import Workspace

ADA, BOB, CAROL = (Person(f"key-of-{n}", n, signed_in=True) for n in ("ada", "bob", "carol"))
VIEWER = Person("key-of-vic", "vic", Role.VIEWER, signed_in=True)
EVERYBODY = (ADA, BOB, CAROL, VIEWER)


class Asker(Reader):
    """A browser that asks about sharing and about audits."""

    def message(self, kind, do, **more):
        self.serial += 1
        request = self.serial
        gesture = {"kind": kind, "do": do, "request": request, "serial": request, **more}
        self.bench.carry_out(gesture, self)
        entry = {"share": "shares", "audit": "audits"}[kind]

        def found():
            told = [one[entry] for one in self.told if entry in one]
            return [one for one in told if one.get("request") == request]

        wait(found)
        settle(self.bench)
        return found()[0]

    def asks(self, do, kind="share", **more):
        message = self.message(kind, do, **more)
        assert "problem" not in message, message
        return message["answer"]

    def refused(self, do, kind="share", **more):
        return self.message(kind, do, **more)["problem"]

    def shares(self, of, key, name):
        return self.asks("add", of=of, key=key, name=name)

    @property
    def menu(self):
        """The Data menu: group and name of what is not an example or a draw."""
        shown = self.bench.browsers.state("sets")["sets"]
        return [(one["group"], one["name"]) for one in shown if one["group"] in ("own", "lent")]

    @property
    def said(self):
        return [one["say"] for one in self.told if "say" in one]


class Town:
    """People with accounts, who share with each other."""

    def __init__(self, *pages, people=EVERYBODY, database=None):
        self.pages = tabs(*(pages or ("scores",)))
        self.people = {one.key: (one.name, one.role) for one in people or ()}
        self.workspaces, self.benches = {}, []
        self.database = database or ServerDatabase()
        self.grants = Grants(self.database, None if people is None else lambda: dict(self.people))
        self.lending = Lending(self.grants, self.workspace_of)

    def workspace_of(self, key):
        return self.workspaces.get(key)

    def own(self, person):
        if person.key not in self.workspaces:
            self.workspaces[person.key] = Workspace(base=LentData(self.lending, person))
        return self.workspaces[person.key]

    def sharing(self, person):
        return PersonSharing(self.lending, person, self.own(person))

    def browser(self, person):
        services = Services(sharing=self.sharing(person))
        made = VisitorSession(
            self.own(person), self.pages, lambda *call: None, person.name, services
        )
        self.benches.append(made)
        settle(made)  # it knows what is shared already: only what comes later is news
        return Asker(made)

    def end(self):
        for bench in self.benches:
            bench.end()

    def settle(self):
        for bench in self.benches * 2:
            settle(bench)
