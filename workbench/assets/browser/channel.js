// The socket to the session. Messages are JSON; the content of a file follows the one that announces it.

export class Channel {
  // opened() when the session listens; arrived(message); closed(refused) when the connection is
  // lost or could not be made; refused: the server has no session for this document.
  constructor({opened, arrived, closed}) {
    const address = new URL(`${location.pathname.replace(/\/$/, "")}/ws`, location.href)
    address.protocol = address.protocol.replace("http", "ws")
    this.socket = new WebSocket(address, ["bokeh", document.body.dataset.token ?? ""])
    this.ready = false
    this.socket.onmessage = ({data}) => {
      if (this.ready) return arrived(JSON.parse(data))
      this.ready = true
      opened()
    }
    this.socket.onclose = ({reason}) => closed(reason !== "")
  }

  send({content, ...message}) {
    this.socket.send(JSON.stringify(content === undefined ? message : {...message, content: true}))
    if (content !== undefined) this.socket.send(content)
  }
}
