import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { after, before, test } from 'node:test'
import {
  assertNoneFailed,
  openScene,
  restartNow,
  type Scene,
  startLoad,
  statusOf,
} from '#test/support/restart-load.ts'

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
  const load = startLoad(scene, 1)
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
  const pids = (list: typeof processes, role: string) =>
    list.filter((one) => one.role === role).map(({ pid }) => pid)
  assert.deepEqual(pids(now.processes, 'supervisor'), pids(processes, 'supervisor'))
  for (const role of ['serve', 'work'])
    assert.ok(pids(now.processes, role).every((pid) => !pids(processes, role).includes(pid)))
})
