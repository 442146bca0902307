import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { after, before, test } from 'node:test'
import {
  assertNoneFailed,
  oldOnesEnded,
  openScene,
  restartNow,
  type Scene,
  type Status,
  startLoad,
  statusOf,
} from '#test/support/http/restart-load.ts'
import { CUT, openWebSocket } from '#test/support/http/web-socket.ts'

/** New processes start the sooner. `npm run test:restart` is the load without pauses. */
const PAUSE_MS = 20

let scene: Scene

before(async () => {
  scene = await openScene()
})
after(() => scene.close())

test('an upgrade under load fails no request, and ends streams with a word that they may come back', async () => {
  const { aloft, host, upgrade } = scene
  const { processes } = await statusOf(aloft)
  const events = await new Promise<IncomingMessage>((resolve, reject) =>
    get({ host: '127.0.0.1', port: aloft.port, path: '/api/events', headers: { host } }, resolve).on(
      'error',
      reject,
    ),
  )
  let heard = ''
  events.setEncoding('utf8').on('data', (chunk: string) => {
    heard += chunk
  })
  const over = once(events, 'end')
  const load = startLoad(scene, 1, PAUSE_MS)
  try {
    await load.more(300)
    await upgrade('9.9.9')
    await Promise.all([restartNow(aloft), over])
    await load.more(300)
  } finally {
    assertNoneFailed(await load.stop())
  }
  assert.equal(heard, 'data: first\n\nretry: 1000\n\n')

  const now = await statusOf(aloft)
  assert.equal(now.version, '9.9.9')
  assertReplaced(processes, now.processes)
})

const eachWay = ({ aloft }: Scene) => [
  { port: aloft.port, isSecure: false },
  { port: aloft.tlsPort, isSecure: true },
]

test('an operator restarts through the API: WebSockets are told that they may come back, and the answer comes when the new processes have taken over', async () => {
  const { aloft, host } = scene
  const { processes } = await statusOf(aloft)
  const open = () => Promise.all(eachWay(scene).map((way) => openWebSocket(way, host, '/api/chat')))
  const before = await open()
  for (const socket of before) await socket.say('before')
  const logged = aloft.stderr().length
  const answer = await fetch(`${aloft.url}/v1/operator/restart`, {
    method: 'POST',
    headers: { authorization: `Bearer ${aloft.token}`, connection: 'close' },
  })
  assert.deepEqual([answer.status, await answer.json()], [200, { restarted: true }])
  assert.deepEqual(await Promise.all(before.map(({ closed }) => closed)), [1012, 1012])
  await oldOnesEnded(aloft, logged)
  assertReplaced(processes, (await statusOf(aloft)).processes)
  for (const socket of await open()) {
    await socket.say('after')
    socket.end()
  }
})

test('a working process that takes the place of one that answers requests of the API answers them from the start', async () => {
  const { aloft } = scene
  // Bodies of this size are always handed on.
  const files = [{ file: 'index.html', data: 'x'.repeat(200_000) }]
  const answer = await fetch(`${aloft.url}/v8/platform/deployments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${aloft.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ version: 2, name: 'large', files }),
  })
  assert.equal(answer.status, 200, await answer.text())
  const logged = aloft.stderr().length
  await restartNow(aloft)
  assert.match(
    aloft.stderr().slice(logged),
    /this process answers requests of the API.*new processes have taken over/s,
  )
})

test('when serving processes are killed under load, TLS and WebSockets lose what was under way on them and nothing else', async () => {
  const { aloft, host } = scene
  const sockets = await Promise.all(eachWay(scene).map((way) => openWebSocket(way, host, '/api/chat')))
  for (const socket of sockets) await socket.say('before')
  const CONNECTIONS = 2
  const load = startLoad(scene, CONNECTIONS, PAUSE_MS)
  await load.more(150)
  for (const pid of await aloft.children('serve')) {
    process.kill(pid, 'SIGKILL')
    // The others go on, and the one that comes back takes what waits in the socket that the supervisor holds.
    await load.more(150)
  }
  const { failed, answered } = await load.stop()
  const lost = [...failed.values()].reduce((sum, count) => sum + count, 0)
  const kinds = 3
  assert.ok(lost <= kinds * CONNECTIONS * 2, `${JSON.stringify([...failed])} of ${answered}`)
  assert.deepEqual(await Promise.all(sockets.map(({ closed }) => closed)), [CUT, CUT])
  for (const way of eachWay(scene)) {
    const socket = await openWebSocket(way, host, '/api/chat')
    await socket.say('after')
    socket.end()
  }
})

function assertReplaced(before: Status['processes'], now: Status['processes']): void {
  const pids = (list: Status['processes'], role: string) =>
    list.filter((one) => one.role === role).map(({ pid }) => pid)
  assert.deepEqual(pids(now, 'supervisor'), pids(before, 'supervisor'))
  for (const role of ['serve', 'work'])
    assert.ok(pids(now, role).every((pid) => !pids(before, role).includes(pid)))
}
