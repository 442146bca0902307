import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { availableParallelism } from 'node:os'
import { test } from 'node:test'
import { install, NOTHING_RUNS } from '#test/support/installation.ts'

const skip =
  (process.platform !== 'linux' || availableParallelism() < 2) && 'there is never more than one that serves'

test('one process serves; under load there is another, and what was counted stays counted', {
  skip,
}, async (t) => {
  const aloft = await install({ env: { ...NOTHING_RUNS, ALOFT_WORKERS: '', ALOFT_RATE_LIMIT: '1000000' } })
  t.after(() => aloft.remove())
  assert.equal((await aloft.children('serve')).length, 1)
  const headers = { authorization: `Bearer ${aloft.token}` }
  const remaining: string[] = []
  let isOver = false
  // Many at a time on a connection: whoever asks must not be busier than whoever answers.
  const batch =
    `GET /v2/user HTTP/1.1\r\nhost: localhost\r\nauthorization: ${headers.authorization}\r\n\r\n`.repeat(50)
  const ask = async () => {
    while (!isOver) {
      const socket = connect(aloft.port, '127.0.0.1').on('error', () => {})
      socket.setEncoding('latin1').write(batch)
      let text = ''
      for await (const chunk of socket as AsyncIterable<string>) {
        text += chunk
        if (text.split('\r\n\r\n').length > 50) break
      }
      remaining.push(...[...text.matchAll(/^x-ratelimit-remaining: (\d+)/gim)].map(([, count = '']) => count))
    }
  }
  const asking = Array.from({ length: 8 }, ask)
  while (!/"name":"serve-2"/.test(await status())) {
    // Until there is a second.
  }
  isOver = true
  await Promise.all(asking)
  assert.match(aloft.stderr(), /started another serving process/)
  // Each request has been counted once, by whoever answered it.
  assert.equal(new Set(remaining).size, remaining.length)

  async function status(): Promise<string> {
    const answer = await fetch(`${aloft.url}/v1/operator/status`, { headers })
    return answer.text()
  }
})
