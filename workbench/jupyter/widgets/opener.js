// A button that opens the address with which the kernel answers.

export default {
  render({model, el}) {
    const button = Object.assign(document.createElement("button"), {type: "button", textContent: "Open in the workbench"})
    let tab = null
    const answered = ({address}) => {
      if (address) tab?.location.replace(new URL(address, location.href))
      else tab?.close()
      tab = null
    }
    button.addEventListener("click", () => {
      tab = window.open("", "_blank") // now, as browsers open no window later than the click
      model.send({kind: "open"})
    })
    model.on("msg:custom", answered)
    el.classList.add("wb-open")
    el.append(button)
    return () => model.off("msg:custom", answered)
  },
}
