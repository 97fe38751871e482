// Notifications of the system, for who asked for them in this browser.

const KEY = "wb-notify"
const there = () => "Notification" in window && window.isSecureContext

function asked() {
  try { return localStorage.getItem(KEY) === "on" } catch { return false }
}

export const wanted = () => there() && Notification.permission === "granted" && asked()

// What a person reads beside the button.
export function standing() {
  if (!there()) return "This browser shows no notifications here: they need https, or this machine's own address."
  if (Notification.permission === "denied") return "This browser blocks notifications of this site; allow them in its settings."
  return wanted() ? "This browser will notify you while the page is open." : ""
}

// To be called in a gesture: the browser asks for permission.
export async function ask() {
  if (!there()) return
  if (await Notification.requestPermission() === "granted") {
    try { localStorage.setItem(KEY, "on") } catch { /* for this visit only */ }
  }
}

// tag: one notification of a kind is shown at a time.
export function notify(title, body, tag) {
  if (!wanted()) return
  try {
    const shown = new Notification(title, {body, tag})
    shown.addEventListener("click", () => { window.focus(); shown.close() })
  } catch { /* on a phone only a service worker may; the toast says it */ }
}
