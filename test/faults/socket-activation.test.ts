import net from 'node:net'
import { after, test } from 'node:test'
import { Load } from '#test/support/http/load.ts'
import { assertNoneFailed } from '#test/support/http/restart-load.ts'
import { type Installation, install, NOTHING_RUNS, TWO_SERVING } from '#test/support/installation.ts'

interface Bound {
  readonly fd: number
  getsockname(into: { port?: number }): number
  close(): void
}

/** Bound and never accepted from, as a service manager has them. */
const bind = (): Bound =>
  (
    net as unknown as { _createServerHandle(host: string, port: number, family: 4): Bound }
  )._createServerHandle('127.0.0.1', 0, 4)

const portOf = (socket: Bound): number => {
  const name: { port?: number } = {}
  socket.getsockname(name)
  return name.port as number
}

const sockets = [bind(), bind()] as const
let aloft: Installation | undefined

after(async () => {
  await aloft?.remove()
  for (const socket of sockets) socket.close()
})

test('a stop and a start fail no request where somebody else holds the sockets', async () => {
  const [port, tlsPort] = [portOf(sockets[0]), portOf(sockets[1])]
  aloft = await install({
    ports: { port, tlsPort },
    sockets: sockets.map(({ fd }) => fd),
    env: { ...TWO_SERVING, ...NOTHING_RUNS, ALOFT_RATE_LIMIT: '100000000', ALOFT_HANG_SECONDS: '120' },
  })
  const headers = { authorization: `Bearer ${aloft.token}` }
  const target = { host: `127.0.0.1:${port}`, path: '/v2/user', headers, expected: /operator@aloft\.test/ }
  const load = new Load({ port, tlsPort, targets: [target], connections: 1, pauseMs: 20 })
  load.start()
  try {
    await load.more(100)
    await aloft.stop()
    aloft = await aloft.restart()
    await load.more(100)
  } finally {
    assertNoneFailed(await load.stop())
  }
})
