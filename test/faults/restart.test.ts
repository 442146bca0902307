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
  assertReplaced(processes, now.processes)
})

test('an operator restarts through the API, and is answered when the new processes have taken over', async () => {
  const { aloft } = scene
  const { processes } = await statusOf(aloft)
  const before = aloft.stderr().length
  const answer = await fetch(`${aloft.url}/v1/operator/restart`, {
    method: 'POST',
    headers: { authorization: `Bearer ${aloft.token}`, connection: 'close' },
  })
  assert.deepEqual([answer.status, await answer.json()], [200, { restarted: true }])
  await oldOnesEnded(aloft, before)
  assertReplaced(processes, (await statusOf(aloft)).processes)
})

function assertReplaced(before: Status['processes'], now: Status['processes']): void {
  const pids = (list: Status['processes'], role: string) =>
    list.filter((one) => one.role === role).map(({ pid }) => pid)
  assert.deepEqual(pids(now, 'supervisor'), pids(before, 'supervisor'))
  for (const role of ['serve', 'work'])
    assert.ok(pids(now, role).every((pid) => !pids(before, role).includes(pid)))
}
