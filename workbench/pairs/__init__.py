"""Distribution pairs with known truth: closed forms and sampling."""
