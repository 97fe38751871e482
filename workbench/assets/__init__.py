"""Scripts and styles that browsers load, and pages as the data that they draw.

`board` makes the data of the numbers and charts, `controls` those of the controls, `start` those of
the start page, the tour and the glossary, `audits` those of the saved audits, `search` the index
that the search looks in, `share` the files of a chart and the texts of a number, and `packed` has
the files for browsers, compressed, and `scripts` joins scripts to one module. `stored_states` has
what a page shows at each place of its sliders, and `stand_alone` the HTML files that need no
network: reports and explorables.

``browser/`` holds the scripts and styles: ``page.js`` starts the document and leads from page to
page, ``view.js`` is a page in it, ``connection.js``, ``channel.js`` and ``wire.js`` are the way to
the server, ``shell.js`` has the bar and the drawer, ``data.js`` the Data menu, ``share.js`` the
Share menu, ``sharing.js`` the dialog that shares with people, ``save.js`` the dialog that saves an
audit, ``audits.js`` the page of saved audits. The dashboard and JupyterLab share ``board.js``,
``controls.js`` and ``wire.js`` with their styles, and what the board loads when it is used:
``chart_menu.js`` and ``copy.js``; ``stored_states.js`` is the board without a server.
``widget.js`` draws a page in a host such as JupyterLab. ``browser/vendor/`` holds the chart
library; its README says how it is renewed.
"""
