// A saved audit in full: what its page showed, without the page, and all else that was kept.

import {make} from "./board.js"
import {addressOf, backToList, boardOf, button, facts, failed, linkTo, nameLink, numberShown, table, time} from "./audit_parts.js"
import {short} from "./save.js"

export class Record {
  static async of(audits, key) {
    try {
      return new Record(audits, await audits.query("record", {key}))
    } catch (error) {
      return failed("Saved audit", error.message)
    }
  }

  constructor(audits, record) {
    this.audits = audits
    this.record = record
    const {name, note, tags, made, by, title, series, position, owner, imported} = record
    // Asks again for what others share; see Audits.lookAgain.
    if (owner) this.lent = () => audits.query("record", {key: record.key})
    this.warning = make("p", {class: "wb-problem", role: "alert", hidden: ""})
    const deleted = record.removed ? [make("p", {class: "wb-problem"}, "This audit was deleted. ",
      button("Bring it back", async () => {
        await audits.restore(record.key, name)
        audits.again()
      }))] : []
    const origin = imported ? [make("p", {class: "wb-problem wb-imported"}, `${imported} `,
      owner ? "" : "Open it on its page to compute it again, if its data are here: what is saved there is made here.")] : []
    const marks = [...tags.map(tag => make("span", {class: "wb-chip"}, tag)),
      ...(series && !owner ? [linkTo(addressOf("series", series), `${short(series)} · ${position}`, {class: "wb-mark"})] : [])]
    this.board = boardOf(record)
    this.element = make("article", {class: "wb-record"},
      backToList(),
      make("header", {class: "wb-audits-head"},
        make("div", {class: "wb-record-title"}, make("h1", {tabindex: "-1"}, name),
          make("p", {class: "wb-quiet"}, `${title} · ${imported ? "states: saved" : "saved"} `, time(made), by ? ` by ${by}` : "", owner ? ` · shared by ${owner}` : "")),
        make("div", {class: "wb-actions"},
          button("Open on its page", () => audits.open(record.key), "wb-filled-button"),
          this.reports(),
          button("Export", () => audits.export(record.key), "wb-plain-button", {title: "One file that can be imported elsewhere"}),
          ...(owner ? [button("Leave", () => audits.leaveAudit(record.key), "wb-plain-button", {title: "No longer show it to me"})] : []),
          ...(!owner && !record.removed && audits.shares() ? [button("Share …", () => audits.share({of: "audit", key: record.key}), "wb-plain-button")] : []),
          ...(owner || record.removed ? [] : [button("Delete", () => audits.remove(record), "wb-plain-button")]))),
      ...(marks.length ? [make("div", {class: "wb-marks"}, ...marks)] : []),
      ...deleted, ...origin, this.warning,
      ...(note ? [make("p", {class: "wb-audit-note"}, note)] : []),
      this.board.element,
      ...this.parts())
    if (audits.missing?.key === record.key) this.tellMissing(audits.missing.words)
    audits.missing = null
  }

  // A button, and the kinds of report below it; their script comes when it is pressed.
  reports() {
    const menu = make("div", {class: "wb-popover", popover: "auto", role: "group", "aria-label": "Report"})
    const opens = button("Report …", async () => {
      const {FILES} = await import("./share.js")
      menu.replaceChildren(...FILES.map(([kind, title, words, form]) => {
        const item = button("", () => {
          menu.hidePopover()
          this.audits.report(this.record.key, kind, title, form)
        }, "wb-share-item", {"data-kind": kind})
        item.append(make("strong", {}, title), make("span", {}, words))
        return item
      }))
      const {left, bottom} = opens.getBoundingClientRect()
      menu.showPopover()
      Object.assign(menu.style, {left: `${Math.max(8, Math.min(left, innerWidth - menu.offsetWidth - 8))}px`, top: `${bottom + 4}px`})
      menu.firstChild.focus()
    }, "wb-plain-button", {"aria-haspopup": "true"})
    return make("span", {}, opens, menu)
  }

  // The page cannot be shown again: what is kept is here, and this is what is missing.
  tellMissing(words) {
    this.warning.textContent = `The page cannot be opened: ${words}${words.endsWith(".") ? "" : "."} What was saved is shown below, as it was.`
    this.warning.hidden = false
    this.warning.scrollIntoView({block: "center"})
  }

  parts() {
    const {data, settings, plan, deviations, versions, attached, software, code, sha256, owner, imported, unmarked} = this.record
    const parts = []
    const part = (title, ...children) => parts.push(make("section", {class: "wb-record-part"}, make("h2", {}, title), ...children))
    if (plan) {
      part("Plan", make("p", {}, imported ? "States the plan " : "Registered as ", owner || imported ? `“${short(plan.name)}”` : linkTo(addressOf("plans"), `“${short(plan.name)}”`), " at ", time(plan.created), `, SHA-256 ${plan.sha256.slice(0, 8)}…`),
        deviations.length ? table(["Deviation", "Planned", "Done", "Effect"], deviations.map(({what, planned, done, voids}) =>
          make("tr", {}, ...[what, planned, done, voids ? "bounds that rest on the plan are not valid" : "none on the bounds"].map(text => make("td", {}, text)))))
          : make("p", {}, "Nothing deviates from it."))
    }
    if (data.length) part("Data", ...data.map(one => facts([["Name", one.name], ["Source", one.source], ["Size", one.size], ["Read as", one.read], ["Read anew after results were shown", one.reread], ["SHA-256", one.sha256]])))
    if (attached.length) part("Kept with it", make("ul", {}, ...attached.map(({name, size}) => make("li", {}, `${name} (${Math.max(1, Math.round(size / 1000)).toLocaleString("en")} kB)`))))
    if (settings.length) part("Settings", facts(settings))
    if (versions.length > 1) {
      part("Versions", table(["Name", "First number", "Saved"], versions.map(one => make("tr", one.key === this.record.key ? {"aria-current": "true"} : {},
        make("td", {}, one.key === this.record.key ? `${short(one.name)} (this one)` : nameLink(one)), make("td", {}, numberShown(one.number)), make("td", {}, time(one.made))))))
    }
    const details = (title, ...children) => make("details", {}, make("summary", {}, title), ...children)
    part("How it was computed",
      ...(code ? [details("Python code", make("pre", {tabindex: "0"}, code))] : []),
      details("Versions of the software", facts(Object.entries(software))),
      facts([["SHA-256 of this record", sha256], ["Origin", unmarked ? "made here or imported: it was saved by a version that did not note this" : ""]]))
    return parts
  }

  stop() {
    this.board.stop()
  }
}
