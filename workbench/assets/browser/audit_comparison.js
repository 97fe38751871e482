// Two or more saved audits side by side: what differs, their numbers, their curves in one chart.

import {make} from "./board.js"
import {backToList, boardOf, failed, nameLink, numberShown, said, table, time} from "./audit_parts.js"

export class Comparison {
  static async of(audits, keys) {
    try {
      const made = new Comparison(await audits.query("compare", {keys}))
      if (keys.some(key => key.startsWith("shared-"))) made.lent = () => audits.query("compare", {keys})
      return made
    } catch (error) {
      return failed("Comparison", error.message)
    }
  }

  /** @type {(() => Promise<any>) | undefined} */
  lent

  constructor({audits, sentences, parameters, data, software, numbers, charts}) {
    this.board = charts.frame.figures.length ? boardOf(charts) : null
    const part = (title, ...children) => make("section", {class: "wb-record-part"}, make("h2", {}, title), ...children)
    const texts = rows => rows.map(([name, values]) => make("tr", {}, make("th", {scope: "row"}, name), ...values.map(value => make("td", {}, String(value)))))
    const wide = (label, heads, rows) => make("div", {class: "wb-scroll", tabindex: "0", role: "region", "aria-label": label},
      table([said(label), ...heads], rows, {class: "wb-audit-table wb-side", style: `--audits: ${audits.length}`}))
    const links = audits.map(audit => make("div", {}, nameLink(audit), make("div", {class: "wb-quiet"}, `${audit.title} · `, time(audit.made), audit.by ? ` by ${audit.by}` : "", audit.imported ? ` · ${audit.imported}` : "")))
    const shown = numbers.map(({title, differs, cells}) => make("tr", differs ? {"data-differs": ""} : {},
      make("th", {scope: "row"}, title, ...(differs ? [make("span", {class: "wb-differs"}, "differs")] : [])),
      ...cells.map(cell => make("td", {}, numberShown(cell && {...cell, title: ""})))))
    const differing = [...parameters, ...data.map(([name, values]) => [`Data: ${name}`, values]), ...software]
    this.element = make("article", {class: "wb-record wb-comparison"}, backToList(),
      make("h1", {tabindex: "-1"}, `Comparison of ${audits.length} audits`),
      make("ul", {class: "wb-sentences-list"}, ...sentences.map(sentence => make("li", {}, sentence))),
      ...(differing.length ? [part("What differs", wide("What differs", audits.map(({short}) => short), texts(differing)))] : []),
      part("Numbers", wide("Numbers side by side", links, shown)),
      ...(this.board ? [part("Charts", this.board.element)] : []))
  }

  stop() {
    this.board?.stop()
  }
}
