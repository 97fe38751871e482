"""Panel apps of whoever runs the server, beside the pages: `workbench serve --app NAME=FILE`.

- `panel_app` reads an app, and runs its script for a visitor.
- `visits` says for whom code of an app runs, and counts the visitor as one of a page.
- `handlers` puts the sign-in, the role and the limits of the server before all answers of an app.
- `mounting` makes the apps a part of the server.

An app is code that the operator trusts: it runs in the process of the server. These modules import
Panel and Bokeh, and are imported by a server that has apps.
"""
