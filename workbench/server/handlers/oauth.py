"""Request handler of signing in with an OAuth provider."""

from __future__ import annotations

from typing import Any

from tornado.web import HTTPError

from workbench.server.handlers.sign_in import FormHandler, next_page
from workbench.server.network import origins
from workbench.server.people.oauth import CALLBACK, START, OAuth, RefusedError


class OAuthHandler(FormHandler):
    """Handler that sends people to the provider, and of those whom it has sent back."""

    def initialize(self, returned: bool) -> None:
        """Take whether the provider has sent somebody back."""
        self._returned = returned

    async def prepare(self) -> None:
        """Refuse a server without a provider, and an address to which it would not lead back."""
        await super().prepare()
        origins.check_address(self)
        if self.server.oauth is None:
            raise HTTPError(404)

    async def get(self) -> None:
        """Send somebody there, or sign them in, if they are who they should be."""
        oauth = self.server.oauth
        if oauth is None:
            raise HTTPError(404)
        here = f"{origins.opened_at(self)}{self.server.root_path}/"
        if self._returned:
            try:
                await self._sign_in(oauth, here)
            except RefusedError as refused:
                self.show("refused", refused.status, problem=str(refused))
        else:
            self.set_header("Cache-Control", "no-store")
            asked = next_page(self.get_query_argument("next", ""))
            self.redirect(oauth.begin(self, here, asked))

    async def _sign_in(self, oauth: OAuth, here: str) -> None:
        asked = oauth.returned(self)
        code = self.get_query_argument("code", "")
        if self.get_query_argument("error", "") or not code:
            title = oauth.provider.title
            raise RefusedError(f"{title} did not sign you in. Begin again if you want to.")
        found = await oauth.identified(asked, code, here, self.sender)
        realm, role = oauth.provider.realm, oauth.role
        account = self.identity.accounts.sign_in_external(realm, found.subject, found.name, role)
        await self.identity.sign_ins.begin(account, self)
        self.set_header("Cache-Control", "no-store")
        self.redirect(next_page(asked.next_page.removeprefix("./")))


def patterns() -> list[tuple[Any, ...]]:
    """Tornado routes of signing in with a provider; they lead nowhere on a server without one."""
    routes = ((START, False), (CALLBACK, True))
    return [(rf"/{path}", OAuthHandler, {"returned": returned}) for path, returned in routes]
