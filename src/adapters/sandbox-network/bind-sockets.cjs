'use strict'
// Started for a moment inside the network namespace of the gateway: binds sockets there and hands them to the platform,
// which goes on with them from outside. No code of a user ever runs in this namespace.
const dgram = require('node:dgram')
const net = require('node:net')

const { names, ports } = JSON.parse(process.argv[2])

// Nothing of it outlives the platform, whose sockets it would keep. Node tells of a lost line only once everything that
// was sent on it has been taken, which may be never; so it is looked at.
setInterval(() => {
  if (!process.connected) process.exit(1)
}, 100)

/** Each is handed over before the next is bound, so that few are open twice. */
const send = (message, handle) =>
  new Promise((resolve, reject) =>
    process.send(message, handle, {}, (error) => (error ? reject(error) : resolve())),
  )

async function listen(port, host) {
  const server = net.createServer()
  await new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, backlog: 128 }, resolve)
  })
  return server
}

async function main() {
  if (names !== undefined) {
    const udp = dgram.createSocket('udp4')
    await new Promise((resolve, reject) => {
      udp.once('error', reject)
      udp.bind(names.port, names.host, resolve)
    })
    await send({ what: 'names' }, udp)
    udp.close()
  }
  for (const port of ports) {
    const server = await listen(port, '0.0.0.0')
    await send({ what: 'port', port }, server)
    server.close()
  }
  // The platform ends this process when it has got everything.
}

main().catch((error) => {
  console.error(error.message)
  process.exit(1)
})
