// The button that switches between light and dark. The document's data-theme is the one truth;
// style sheets, widgets and charts follow it.

const root = document.documentElement
const SUN = "M12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10Zm-1-6h2v4h-2Zm0 18h2v4h-2ZM1 11h4v2H1Zm18 0h4v2h-4ZM5 3.6 7.8 6.4 6.4 7.8 3.6 5Zm12.6 12.6 2.8 2.8-1.4 1.4-2.8-2.8ZM3.6 19l2.8-2.8 1.4 1.4L5 20.4ZM16.2 6.4 19 3.6 20.4 5l-2.8 2.8Z"
const MOON = "M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5Z"

// Runs before the page is drawn: the theme follows the operating system unless the address named
// one, and on a narrow screen, where the drawer would cover the page, it starts closed.
function initialize({model}) {
  root.dataset.theme ??= matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"
  if (window.innerWidth >= model.get("narrow")) return
  for (const {data} of model.model.document.roots()) if (data?.sidebar_open) data.sidebar_open = false
}

function render({el}) {
  const button = document.createElement("button")
  button.type = "button"
  button.className = "wb-theme"
  const update = () => {
    const dark = root.dataset.theme === "dark"
    button.setAttribute("aria-label", dark ? "Use the light theme" : "Use the dark theme")
    button.innerHTML = `<svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true"><path d="${dark ? SUN : MOON}"/></svg>`
  }
  button.addEventListener("click", () => {
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark"
    update()
  })
  update()
  el.append(button)
}

export default {initialize, render}
