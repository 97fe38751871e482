// The menu of a chart: saves it for a paper, or its data. The dashboard and JupyterLab load it when
// it is first opened; it imports nothing, since the kernel of a notebook sends it alone.

const KINDS = [["svg", "SVG"], ["pdf", "PDF"], ["png", "PNG"], ["csv", "Data (CSV)"]]
const FAMILIES = [["serif", "Serif"], ["sans", "Sans"]]
const WIDTH = 3.3 // inches, of a column
const KEPT = "workbench:letters"

let menus = 0

export class ChartMenu {
  // item: of the chart; tools.file(name, kind, {family, width}) saves it and resolves to the name
  // of the file.
  constructor(item, tools, make) {
    this.item = item
    this.tools = tools
    const group = `wb-letters-${++menus}`
    const chosen = keptFamily()
    this.buttons = KINDS.map(([kind, words]) => {
      const button = make("button", {type: "button", class: "wb-export-as", "data-kind": kind}, words)
      button.addEventListener("click", () => this.save(kind, words))
      return button
    })
    this.families = FAMILIES.map(([family, words]) => {
      const field = make("input", {type: "radio", name: group, value: family, ...(family === chosen ? {checked: ""} : {})})
      field.addEventListener("change", () => keepFamily(family))
      return [field, make("label", {}, field, words)]
    })
    this.words = make("p", {class: "wb-export-words", role: "status"})
    const about = `${WIDTH} in wide, as a column of a paper is.`
    this.element = make("div", {},
      make("h3", {}, "Save this chart"),
      make("div", {class: "wb-export-kinds"}, ...this.buttons),
      make("fieldset", {}, make("legend", {}, "Letters"), ...this.families.map(([, label]) => label)),
      make("p", {class: "wb-quiet"}, about), this.words)
  }

  async save(kind, words) {
    if (this.saving) return
    this.busy(true)
    this.say(`Making the ${words} …`)
    try {
      const family = this.families.find(([field]) => field.checked)?.[0].value
      this.say(`${await this.tools.file(this.item.name, kind, {family, width: WIDTH})} was saved.`)
    } catch (error) {
      this.say(sentence(error.message), "bad")
    }
    this.busy(false)
  }

  busy(on) {
    this.saving = on
    this.element.toggleAttribute("data-busy", on)
  }

  say(words, tone = "") {
    this.words.textContent = words
    this.words.dataset.tone = tone
  }
}

// The letters that a person chose last, on this computer.
function keptFamily() {
  try {
    return localStorage.getItem(KEPT) === "sans" ? "sans" : "serif"
  } catch {
    return "serif" // a browser that keeps nothing
  }
}

function keepFamily(family) {
  try {
    localStorage.setItem(KEPT, family)
  } catch {
    // a browser that keeps nothing
  }
}

// A message of the server as a sentence.
export const sentence = words => `${words[0].toUpperCase()}${words.slice(1)}${/[.!?…'"]$/.test(words) ? "" : "."}`

// Has the browser save a file.
export function save(content, name) {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
  return name
}
