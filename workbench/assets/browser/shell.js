// The bar, the drawer and the theme around the pages.

const NARROW = "(max-width: 899px)"
const SUN = "M12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10Zm-1-6h2v4h-2Zm0 18h2v4h-2ZM1 11h4v2H1Zm18 0h4v2h-4ZM5 3.6 7.8 6.4 6.4 7.8 3.6 5Zm12.6 12.6 2.8 2.8-1.4 1.4-2.8-2.8ZM3.6 19l2.8-2.8 1.4 1.4L5 20.4ZM16.2 6.4 19 3.6 20.4 5l-2.8 2.8Z"
const MOON = "M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5Z"

const root = document.documentElement
const drawer = /** @type {HTMLElement} */ (document.querySelector(".wb-drawer"))
const menuButton = /** @type {HTMLButtonElement} */ (document.querySelector(".wb-menu-button"))
const themeButton = /** @type {HTMLButtonElement} */ (document.querySelector(".wb-theme"))
const projectorButton = document.querySelector(".wb-projector")
const narrow = matchMedia(NARROW)

export function startShell() {
  openDrawer(!narrow.matches && !projecting() && localStorage.getItem("workbench:drawer") !== "closed")
  narrow.addEventListener("change", () => {
    openDrawer(!narrow.matches)
    placeTools()
  })
  placeTools()
  menuButton.addEventListener("click", () => {
    openDrawer(drawer.inert)
    if (!narrow.matches) localStorage.setItem("workbench:drawer", drawer.inert ? "closed" : "open")
  })
  document.addEventListener("keydown", event => {
    if (event.key === "Escape" && narrow.matches && !drawer.inert) {
      openDrawer(false)
      menuButton.focus()
    }
  })
  document.querySelector("#content")?.addEventListener("pointerdown", closeOverContent)
  themeButton.addEventListener("click", () => {
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark"
    localStorage.setItem("workbench:theme", root.dataset.theme)
    showTheme()
  })
  showTheme()
  projectorButton?.addEventListener("click", () => {
    localStorage.setItem("workbench:projector", root.toggleAttribute("data-projector") ? "on" : "off")
    openDrawer(!projecting() && !narrow.matches)
    showProjector()
  })
  showProjector()
  document.querySelectorAll("[data-opens]").forEach(startPanel)
}

// On a phone the bar has no room for all buttons: some are in the drawer.
const tools = [...document.querySelectorAll(".wb-tools > :is(.wb-save, .wb-redo, .wb-reset, a)")]
const homes = tools.map(tool => {
  const home = document.createComment("")
  tool.before(home)
  return home
})

function placeTools() {
  const place = /** @type {HTMLElement} */ (document.querySelector(".wb-drawer-tools"))
  tools.forEach((tool, k) => (narrow.matches ? place.append(tool) : homes[k].after(tool)))
}

// On a phone the drawer lies over the page.
export function closeOverContent() {
  if (narrow.matches && !drawer.inert) openDrawer(false)
}

export function openDrawer(open) {
  root.toggleAttribute("data-drawer", open)
  drawer.inert = !open
  menuButton.setAttribute("aria-expanded", String(open))
  menuButton.setAttribute("aria-label", open ? "Close drawer" : "Open drawer")
}

function showTheme() {
  const dark = root.dataset.theme === "dark"
  themeButton.setAttribute("aria-label", dark ? "Use the light theme" : "Use the dark theme")
  themeButton.innerHTML = `<svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true"><path d="${dark ? SUN : MOON}"/></svg>`
}

// Larger type and fewer things, for a projector.
const projecting = () => root.dataset.projector !== undefined

function showProjector() {
  projectorButton?.setAttribute("aria-pressed", String(projecting()))
}

// -- panels under the bar ---------------------------------------------------------------------------

const panels = []

// A button that opens the panel with the id `data-opens`, one at a time; Escape and a press
// anywhere else close it.
function startPanel(button) {
  const panel = /** @type {HTMLElement} */ (document.getElementById(button.dataset.opens))
  const set = open => {
    panel.hidden = !open
    button.setAttribute("aria-expanded", String(open))
    if (open) panel.style.setProperty("--left", `${button.getBoundingClientRect().left}px`)
  }
  panels.push({panel, button, set})
  button.addEventListener("click", () => {
    const open = panel.hidden
    closePanels()
    set(open)
    if (open) panel.dispatchEvent(new Event("wb-opened"))
  })
}

export function closePanels() {
  panels.forEach(({set}) => set(false))
}

document.addEventListener("keydown", event => {
  const open = panels.find(({panel}) => !panel.hidden)
  if (event.key !== "Escape" || !open) return
  closePanels()
  open.button.focus()
})
document.addEventListener("pointerdown", event => {
  const inside = panels.some(({panel, button}) => panel.contains(event.target) || button.contains(event.target))
  if (!inside) closePanels()
})
