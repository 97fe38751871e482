// Buttons that copy a number as text. The dashboard and JupyterLab load them when the explanation of
// a number is first opened; imports nothing, since the kernel of a notebook sends it alone.

const KINDS = [["sentence", "sentence"], ["latex", "LaTeX"], ["bibtex", "BibTeX"]]

export class CopyButtons {
  // element: the place of the buttons.
  constructor(element, make) {
    this.element = element
    this.make = make
    this.texts = {}
    this.words = make("span", {class: "wb-copied", role: "status"})
    this.buttons = KINDS.map(([kind, words]) => {
      const button = make("button", {type: "button", class: "wb-text-button", "data-copies": kind, "aria-label": `Copy ${words}`},
        make("span", {class: "wb-copy-word"}, "Copy "), words)
      button.addEventListener("click", () => this.copy(kind, words))
      return button
    })
    element.replaceChildren(...this.buttons, this.words)
  }

  // The texts by kind; null while they are on their way. They are here before a press, as a browser
  // lets a page copy only at once.
  show(texts) {
    this.texts = texts
    for (const button of this.buttons) {
      button.disabled = !texts
      if (texts) button.hidden = !texts[button.dataset.copies]
    }
    if (!texts) this.put()
  }

  fail(words) {
    this.show({})
    this.say(words)
  }

  copy(kind, words) {
    const text = this.texts[kind]
    this.put()
    const done = () => this.say(`${words[0].toUpperCase()}${words.slice(1)} copied`)
    const byHand = () => (copySelected(this.element, this.make, text) ? done() : this.offer(text, words))
    if (!navigator.clipboard) byHand()
    else navigator.clipboard.writeText(text).then(done, byHand)
  }

  // The text itself, selected, where the browser lets no page copy.
  offer(text, words) {
    const area = this.make("textarea", {readonly: "", rows: "4", "aria-label": `The ${words}`})
    area.value = text
    this.put(area)
    area.focus()
    area.select()
    this.say("Press Ctrl+C to copy")
  }

  put(area) {
    this.area?.remove()
    this.area = area
    if (area) this.element.append(area)
    this.words.textContent = ""
  }

  // Said again where it is the same as before.
  say(words) {
    this.words.textContent = ""
    requestAnimationFrame(() => { this.words.textContent = words })
  }
}

// Copies in the way that needs no permission; false where that is not allowed either.
function copySelected(place, make, text) {
  const focused = place.getRootNode().activeElement
  const area = make("textarea", {readonly: "", class: "wb-said", "aria-hidden": "true", tabindex: "-1"})
  area.value = text
  place.append(area)
  area.select()
  const done = document.execCommand("copy")
  area.remove()
  focused?.focus({preventScroll: true})
  return done
}
