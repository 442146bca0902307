import assert from 'node:assert/strict'
import { test } from 'node:test'
import { install, NOTHING_RUNS } from '#test/support/installation.ts'

test('a large request is answered by the working process, and counted with the others', async (t) => {
  const aloft = await install({ env: { ...NOTHING_RUNS, ALOFT_WORKERS: '1' } })
  t.after(() => aloft.remove())
  const ask = (path: string, body?: unknown) =>
    fetch(`${aloft.url}${path}`, {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      headers: { authorization: `Bearer ${aloft.token}` },
    })
  const create = (files: number) =>
    ask('/v8/platform/deployments', {
      name: 'large',
      version: 2,
      files: Array.from({ length: files }, (_, n) => ({ file: `${n}.txt`, data: `content ${n}` })),
    })
  /** Ids of requests begin with what stands for the process. */
  const process = ({ headers }: Response) => headers.get('x-request-id')?.slice(0, 10)
  const left = ({ headers }: Response) => Number(headers.get('x-ratelimit-remaining'))

  const small = await create(1)
  const large = await create(5000)
  assert.deepEqual([small.status, large.status], [200, 200])
  assert.notEqual(process(large), process(small))
  // The serving process counts those of the working process with its own.
  assert.equal(left(large), left(small) - 1)
  assert.equal(left(await create(5000)), left(small) - 2)
  assert.equal(left(await create(1)), left(small) - 3)
  const { id } = (await large.json()) as { id: string }
  const tree = await ask(`/v5/platform/deployments/${id}/files`)
  assert.equal(process(tree), process(large))
  assert.equal(((await tree.json()) as unknown[]).length, 5000)

  // Killed, it is not waited for.
  const [work] = await aloft.children('work')
  globalThis.process.kill(work as number, 'SIGKILL')
  const alone = await ask(`/v5/platform/deployments/${id}/files`)
  assert.ok(alone.status === 200 || alone.status === 503, String(alone.status))
  assert.equal((await ask('/v2/user')).status, 200)
})
