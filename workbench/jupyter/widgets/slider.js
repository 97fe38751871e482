// A slider under its label and its number, which can be typed. With scale.log ("real" or "whole")
// the value is log₁₀ of what is shown, typed and read aloud.

export default {
  render({model, el}) {
    const id = `wb-slider-${Math.random().toString(36).slice(2)}` // each widget has a module of its own
    const make = (tag, attributes) => Object.assign(document.createElement(tag), attributes)
    const name = model.get("description")
    const label = make("label", {htmlFor: id, textContent: name, title: model.get("tooltip")})
    const typed = make("input", {type: "text", inputMode: "decimal", autocomplete: "off", spellcheck: false})
    const range = make("input", {type: "range", id})
    typed.setAttribute("aria-label", `${name}: value`)
    range.dataset.lmSuppressShortcuts = "" // its arrow keys are not the notebook's
    el.classList.add("wb-slider")
    el.append(label, typed, range)

    let shown = ""
    const choose = value => {
      model.set("value", value)
      model.save_changes()
      show()
    }
    const show = () => {
      const scale = model.get("scale"), value = model.get("value")
      Object.assign(range, {min: scale.low, max: scale.high, step: scale.step, value})
      const said = text(value, scale)
      range.setAttribute("aria-valuetext", said)
      // A person who is typing is not interrupted.
      const typing = typed.matches(":focus") && typed.value !== shown
      shown = said
      if (typing) return
      typed.value = said
      mark(false)
    }
    const mark = wrong => {
      typed.setAttribute("aria-invalid", wrong)
      typed.title = wrong ? "Type a number, such as 0.05, 1e-5 or 1,000" : ""
    }
    const commit = () => {
      if (typed.value === shown) return
      const value = parsed(typed.value, model.get("scale"))
      mark(value === null)
      if (value === null) return
      shown = typed.value
      choose(value)
    }
    range.addEventListener("input", () => choose(Number(range.value)))
    typed.addEventListener("change", commit)
    typed.addEventListener("keydown", event => {
      if (event.key === "Enter") commit()
      if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return
      event.preventDefault()
      const scale = model.get("scale")
      const from = parsed(typed.value, scale) ?? model.get("value")
      typed.value = text(from + (event.key === "ArrowUp" ? scale.step : -scale.step), scale)
      commit()
    })
    const events = "change:value change:scale"
    model.on(events, show)
    show()
    return () => model.off(events, show)
  },
}

// In three digits where the slider stands on a step of a logarithmic scale, in more where it does not.
function text(value, {low, step, decimals, log}) {
  if (!log) {
    const fixed = value.toFixed(decimals)
    return Math.abs(Number(fixed) - value) <= 1e-9 * Math.abs(value) ? fixed : String(value)
  }
  const number = 10 ** value
  if (log === "whole") return Math.round(number).toLocaleString("en-US")
  const steps = (value - low) / step
  const rounded = Number(number.toPrecision(Math.abs(steps - Math.round(steps)) < 1e-6 ? 3 : 6))
  return rounded < 1e-3 ? rounded.toExponential() : String(rounded)
}

// "1,000" and "1 000" are a thousand; a decimal comma is not guessed.
function parsed(words, {log}) {
  const trimmed = words.trim().replaceAll("−", "-")
  const plain = /^[-+]?\d{1,3}([,\s]\d{3})+(\.\d*)?$/.test(trimmed) ? trimmed.replaceAll(/[,\s]/g, "") : trimmed
  const number = plain === "" ? NaN : Number(plain)
  const value = log ? Math.log10(number) : number
  return Number.isFinite(value) ? value : null
}
