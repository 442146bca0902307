import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Installation, install, NOTHING_RUNS, TOKEN, uninstall } from '#test/support/installation.ts'

let aloft: Installation
before(async () => {
  aloft = await install({ env: { ...NOTHING_RUNS, ALOFT_WORKERS: '1' } })
})
after(async () => {
  await aloft.stop()
  await uninstall(aloft)
})

test('a process that serves alone counts requests against their limits without asking the supervisor', async () => {
  const remaining = async () => {
    const answer = await fetch(`${aloft.url}/v2/user`, { headers: { authorization: `Bearer ${TOKEN}` } })
    await answer.text()
    assert.equal(answer.status, 200)
    return Number(answer.headers.get('x-ratelimit-remaining'))
  }
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
