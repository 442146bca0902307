import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Installation, install, NOTHING_RUNS, TOKEN } from '#test/support/installation.ts'

let aloft: Installation
before(async () => {
  aloft = await install({ env: { ...NOTHING_RUNS, ALOFT_WORKERS: '1' } })
})
after(() => aloft.remove())

test('a process that serves alone counts requests against their limits without asking the supervisor', async () => {
  const headers = { authorization: `Bearer ${TOKEN}` }
  const remaining = async () => {
    const answer = await fetch(`${aloft.url}/v2/user`, { headers })
    await answer.text()
    assert.equal(answer.status, 200)
    return Number(answer.headers.get('x-ratelimit-remaining'))
  }
  // Large enough for the working process, which answers and counts too from then on.
  const files = Array.from({ length: 5000 }, (_, n) => ({ file: `${n}.txt`, data: `content ${n}` }))
  const body = JSON.stringify({ name: 'large', version: 2, files })
  const large = await fetch(`${aloft.url}/v8/platform/deployments`, { method: 'POST', body, headers })
  assert.equal(large.status, 200)
  const first = await remaining()
  // It cannot answer any more; whoever asks it lets everything pass, and counts nothing.
  aloft.process.kill('SIGSTOP')
  try {
    assert.equal(await remaining(), first - 1)
    assert.equal(await remaining(), first - 2)
  } finally {
    aloft.process.kill('SIGCONT')
  }
})
