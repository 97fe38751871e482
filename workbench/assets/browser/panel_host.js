// A page as a component of Panel: gives widget.js a host over the component's model. What is large
// (widget.js with all that it imports, and the style sheet) is sent once per document, to the first
// component that asks for it; so is plotly.js, by widget.js itself.
//
// Properties of the model: state (all fields, see widget.js) and theme ("light" or "dark"). Changed
// fields come in messages {kind: "fields", fields, version}; state has a version, too, so that one
// who came late asks for what was missed.

const WAIT = 10_000 // ms
const GONE = new Error("The view was taken away.")

export function render({model, el}) {
  const host = new Host(model)
  el.style.width = "100%"
  let hide = null
  let gone = false
  model.on("lifecycle:remove", () => {
    gone = true
    hide?.()
    host.stop()
  })
  const place = document.createElement("div")
  const paint = () => { place.dataset.theme = model.theme || (isLight(getComputedStyle(el).color) ? "dark" : "light") }
  model.on("theme", paint)
  el.replaceChildren(place)
  paint()
  front(host).catch(error => {
    if (error !== GONE || gone) throw error
    return front(host) // the component that asked for it was taken away
  }).then(async ({show, sheet}) => {
    await host.current()
    if (gone) return
    paint() // now it is in the document
    const root = /** @type {Document} */ (place.getRootNode())
    if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet)
    hide = show(host, place)
  }).catch(error => { place.textContent = error.message })
}

// Whether a color is that of text on a dark ground.
function isLight(color) {
  const [red, green, blue] = color.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0]
  return (2 * red + 5 * green + blue) / 8 > 140
}

class Host {
  constructor(model) {
    this.model = model
    this.calls = new Map() // event -> functions
    this.stopped = false
    this.waiting = new Set() // who waits for an answer: what refuses it
    this.take(model.state)
    this.heard = (/** @type {any} */ {buffers = [], ...message}) => {
      if (this.stopped) return
      if (message.kind === "fields") this.take(message)
      else this.emit("msg:custom", message, buffers.map(buffer => new Uint8Array(buffer)))
    }
    model.on("msg:custom", this.heard)
  }

  get(field) {
    return this.fields?.[field]
  }

  on(event, call) {
    this.calls.set(event, [...this.calls.get(event) ?? [], call])
  }

  off(event, call) {
    this.calls.set(event, (this.calls.get(event) ?? []).filter(one => one !== call))
  }

  send(message, _, buffers = []) {
    this.model.send_msg({...message, buffers})
  }

  emit(event, ...values) {
    for (const call of this.calls.get(event) ?? []) call(...values)
  }

  take({fields, version}) {
    if (version < this.version) return
    this.version = version
    this.fields = {...this.fields, ...fields}
    for (const field of Object.keys(fields)) this.emit(`change:${field}`)
    this.emit("fields")
  }

  // A message that is answered by one of a kind.
  ask(message, event, wanted) {
    return new Promise((resolve, reject) => {
      const late = () => reject(new Error("The program behind this view does not answer: run the cell again, or start the app with panel serve."))
      const alarm = setTimeout(late, WAIT)
      const heard = (...answer) => {
        if (!wanted(...answer)) return
        clearTimeout(alarm)
        this.off(event, heard)
        this.waiting.delete(reject)
        resolve(answer)
      }
      this.on(event, heard)
      this.waiting.add(reject)
      this.send(message)
    })
  }

  // All that changed between the making of the model and now.
  current() {
    return this.ask({kind: "state"}, "fields", () => true)
  }

  stop() {
    this.stopped = true
    this.calls.clear()
    for (const refuse of this.waiting) refuse(GONE)
    this.model.off("msg:custom", this.heard)
  }
}

function front(host) {
  const asked = window.wbFront ?? host.ask({kind: "front"}, "msg:custom", ({kind}) => kind === "front").then(async ([{style}, [packed]]) => {
    const text = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))
    const code = await new Response(text).blob()
    const {show} = await import(URL.createObjectURL(new Blob([code], {type: "text/javascript"})))
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(style)
    return {show, sheet}
  }).catch(error => {
    delete window.wbFront
    throw error
  })
  window.wbFront = asked
  return asked
}
