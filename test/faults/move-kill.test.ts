import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { deployed, visit } from '#test/support/deploying.ts'
import { install, NOTHING_RUNS, uninstall } from '#test/support/installation.ts'
import { startFlakyProxy } from '#test/support/storage/flaky-proxy.ts'
import { shareS3, withoutS3 } from '#test/support/storage/s3.ts'

/** After how many more uploads everything is killed. Sixteen contents are removed from the disk together. */
const KILLS = [5, 15, 15]

test('a move to an object store goes on where it was, however often every process is killed, and loses nothing', {
  skip: withoutS3,
}, async (t) => {
  let puts = 0
  let killAt = Number.POSITIVE_INFINITY
  let reached = Promise.withResolvers<void>()
  const s3 = await shareS3()
  const proxy = await startFlakyProxy(s3.endpoint, (on) => {
    if (!/^PUT .*\/(?:large|packs)\//.test(on)) return 'pass'
    puts += 1
    if (puts < killAt) return 'pass'
    // Nothing more arrives before everything is dead.
    reached.resolve()
    return 'hold'
  })
  let aloft = await install({ env: NOTHING_RUNS })
  t.after(async () => {
    await aloft.stop('SIGKILL')
    await uninstall(aloft)
    await proxy.close()
    await s3.stop()
  })
  const files = Object.fromEntries(
    Array.from({ length: 100 }, (_, n) => [`${n}.txt`, `file ${n} `.repeat(n % 2 === 0 ? 10_000 + n : n)]),
  )
  const { url: host } = await deployed(aloft, { name: 'moved', files })
  const allAnswer = async () => {
    for (const [name, text] of Object.entries(files))
      assert.equal((await visit(aloft, host, { path: `/${name}` })).text, text, name)
  }
  const call = async (method: string, path: string) => {
    const answer = await fetch(`${aloft.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${aloft.token}` },
    })
    assert.equal(answer.status, 200, path)
    return answer.json()
  }
  const toMove = async () => {
    const { blobs } = (await call('GET', '/v1/operator/status')) as { blobs: { toMove: number } }
    return blobs.toMove
  }
  await aloft.stop()
  const bucket = await s3.makeBucket('moved')
  const env = {
    ...NOTHING_RUNS,
    ALOFT_BLOB_URL: bucket.replace(encodeURIComponent(s3.endpoint), encodeURIComponent(proxy.url)),
    ...{ AWS_ACCESS_KEY_ID: 'any', AWS_SECRET_ACCESS_KEY: 'any' },
  }
  const left: number[] = []
  for (const kill of KILLS) {
    reached = Promise.withResolvers()
    killAt = puts + kill
    aloft = await aloft.restart({ env })
    // What was under way when it was killed goes on by itself.
    if (left.length === 0) await call('POST', '/v1/operator/jobs/files.move/run')
    await reached.promise
    left.push(await toMove())
    await allAnswer()
    await aloft.kill()
  }
  t.diagnostic(`left to move at each kill: ${left}`)
  const [first = 0, , last = 0] = left
  assert.ok(last > 0 && last < first, `each goes on where the one before was: ${left}`)
  killAt = Number.POSITIVE_INFINITY
  aloft = await aloft.restart({ env })
  while ((await toMove()) > 0) await pause(50)
  await allAnswer()
})
