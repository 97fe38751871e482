"""Signed cookies of people: `keep`, `kept` and `forget`."""

from __future__ import annotations

from tornado.web import RequestHandler

from workbench.server.network.proxy import cookie_attributes


def keep(handler: RequestHandler, name: str, value: str, days: float) -> None:
    """Have the browser keep a signed cookie.

    Parameters
    ----------
    handler : tornado.web.RequestHandler
    name, value : str
    days : float
    """
    handler.set_signed_cookie(name, value, expires_days=days, **cookie_attributes(handler))


def kept(handler: RequestHandler, name: str, days: float) -> str:
    """The value of a signed cookie; "" if there is none, or it is older, or not one of ours.

    Parameters
    ----------
    handler : tornado.web.RequestHandler
    name : str
    days : float
    """
    return (handler.get_signed_cookie(name, max_age_days=days) or b"").decode()


def forget(handler: RequestHandler, name: str) -> None:
    """Have the browser forget a cookie.

    Parameters
    ----------
    handler : tornado.web.RequestHandler
    name : str
    """
    handler.clear_cookie(name, **cookie_attributes(handler))
