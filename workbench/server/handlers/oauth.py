"""Request handlers of signing in with an OAuth provider."""

from __future__ import annotations

from typing import Any

from tornado.web import HTTPError

from workbench.server.handlers.sign_in import FormHandler, next_page
from workbench.server.network import origins
from workbench.server.people.oauth import CALLBACK, START, OAuth, RefusedError


class OAuthHandler(FormHandler):
    """Base class of both handlers."""

    async def prepare(self) -> None:
        """Refuse a server without a provider, and an address to which it would not lead back."""
        await super().prepare()
        origins.check_address(self)
        if self.server.oauth is None:
            raise HTTPError(404)

    @property
    def oauth(self) -> OAuth:
        """The provider of the server."""
        found = self.server.oauth
        if found is None:
            raise HTTPError(404)
        return found

    @property
    def here(self) -> str:
        """The address of the root of this server."""
        return f"{origins.opened_at(self)}{self.server.root_path}/"

    def refuse(self, refused: RefusedError) -> None:
        """Send a page that says why somebody is not signed in."""
        self.show("refused", refused.status, problem=str(refused))


class StartHandler(OAuthHandler):
    """Handler that sends people to the provider."""

    def get(self) -> None:
        """Send them there."""
        self.set_header("Cache-Control", "no-store")
        asked = next_page(self.get_query_argument("next", ""))
        self.redirect(self.oauth.begin(self, self.here, asked))


class CallbackHandler(OAuthHandler):
    """Handler of people whom the provider has sent back."""

    async def get(self) -> None:
        """Sign them in, if they are who they should be."""
        title = self.oauth.provider.title
        try:
            asked = self.oauth.returned(self)
            code = self.get_query_argument("code", "")
            if self.get_query_argument("error", "") or not code:
                raise RefusedError(f"{title} did not sign you in. Begin again if you want to.")
            found = await self.oauth.identified(asked, code, self.here, self.sender)
        except RefusedError as refused:
            self.refuse(refused)
            return
        realm, role = self.oauth.provider.realm, self.oauth.role
        account = self.identity.accounts.sign_in_external(realm, found.subject, found.name, role)
        await self.identity.sign_ins.begin(account, self)
        self.set_header("Cache-Control", "no-store")
        self.redirect(next_page(asked.next_page.removeprefix("./")))


def patterns() -> list[tuple[Any, ...]]:
    """Tornado routes of signing in with a provider; they lead nowhere on a server without one."""
    return [(rf"/{START}", StartHandler), (rf"/{CALLBACK}", CallbackHandler)]
