/** A mail server that accepts all mail, except for one unknown address. */
import { once } from "node:events"
import { type AddressInfo, createServer, type Socket } from "node:net"

export const unknownAddress = "gone@example.com"

export const start = async (): Promise<{ readonly url: string; readonly stop: () => void }> => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
    socket.on("error", () => undefined)
    talk(socket)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const stop = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  return { url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, stop }
}

// internal

const talk = (socket: Socket): void => {
  let isData = false
  let rest = ""
  socket.setEncoding("utf8")
  socket.write("220 mail.example.com\r\n")
  socket.on("data", (text) => {
    const lines = (rest + text).split("\r\n")
    rest = lines.pop() ?? ""
    for (const line of lines) {
      if (isData) {
        if (line !== ".") continue
        isData = false
        socket.write("250 taken\r\n")
      } else if (/^DATA/i.test(line)) {
        isData = true
        socket.write("354 go on\r\n")
      } else if (/^QUIT/i.test(line)) {
        socket.end("221 bye\r\n")
      } else if (/^RCPT/i.test(line) && line.includes(unknownAddress)) {
        socket.write("550 5.1.1 no such user\r\n")
      } else socket.write("250 mail.example.com\r\n")
    }
  })
}
