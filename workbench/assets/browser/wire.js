// What people do on one page, on its way to the session, on a server or in the kernel of a notebook.
// One message is under way at a time. Gestures made meanwhile follow in their order, only the latest
// of each control, so that a slow session is never more than one answer behind.

const PATIENCE = 4000 // ms without an answer after which people are told
const CHUNK = 2 ** 20 // bytes of a file in one message

export class Wire {
  // transport: ready() tells whether a message may be sent; send(message) sends it; late(on) tells
  // people that an answer is late, or that it is not.
  constructor(transport) {
    this.transport = transport
    this.serial = 0
    this.handled = 0
    this.underway = null // the serial of the message that was not answered yet
    this.asked = null // that message
    this.waiting = new Map() // key -> [gesture, serial]
    this.uploads = 0
  }

  get busy() {
    return this.underway !== null || this.waiting.size > 0
  }

  // The serial number that the answer will carry. Of gestures with one key, the latest is sent.
  send(gesture, key = gesture.name ?? gesture.kind) {
    this.serial += 1
    this.waiting.delete(key)
    this.waiting.set(key, [gesture, this.serial])
    this.flush()
    return this.serial
  }

  flush() {
    if (!this.transport.ready() || this.underway !== null || !this.waiting.size) return
    const [[key, [gesture, serial]]] = this.waiting
    this.waiting.delete(key)
    this.underway = serial
    this.asked = gesture
    this.transport.send({...gesture, serial})
    clearTimeout(this.alarm)
    this.alarm = setTimeout(() => this.transport.late(true), PATIENCE)
  }

  answered(handled) {
    if (this.underway === null || this.underway > handled) return
    this.underway = this.asked = null
    this.heard()
    this.flush()
  }

  // The session is at work on it, and said so.
  heard() {
    clearTimeout(this.alarm)
    this.transport.late(false)
  }

  // Where things were dragged to in charts while no answer came, so that it is not lost with the connection.
  get drags() {
    const all = [this.asked, ...[...this.waiting.values()].map(([gesture]) => gesture)]
    return all.filter(gesture => gesture?.kind === "drag").map(gesture => ({...gesture, done: true}))
  }

  settled(serial) {
    return this.handled >= serial
  }

  // Until a gesture was answered.
  answer(serial) {
    return new Promise(resolve => {
      const ask = () => (this.settled(serial) ? resolve(null) : setTimeout(ask, 20))
      ask()
    })
  }

  // A later upload takes the place of one that is on its way, and so does a refusal.
  async upload(name, files, progress) {
    const upload = ++this.uploads
    const all = [...files].map(file => [file.name, file.size])
    await this.answer(this.send({kind: "files", name, files: all}))
    for (const [k, file] of [...files].entries()) {
      for (let at = 0; at < file.size && upload === this.uploads; at += CHUNK) {
        const content = await file.slice(at, at + CHUNK).arrayBuffer()
        if (upload !== this.uploads) break
        await this.answer(this.send({kind: "chunk", name, file: k, content}))
        if (upload === this.uploads) progress((at + CHUNK) / file.size)
      }
    }
    progress(1)
  }

  stopUpload() {
    this.uploads++
  }
}
