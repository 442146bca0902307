import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import { deleteOtherSessions, deleteSession, listSessions } from '#contract/api/session.ts'
import { AloftError } from '#contract/errors.ts'
import { startMachine, TOKEN } from '../cli-testing.ts'
import { browserOf } from './browser-of.ts'

const env = { ALOFT_TOKEN: TOKEN }
const UA = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const at = Date.now() - 86_400_000

test('browsers are listed by what they are called, and signed out one by one or all at once', async () => {
  await using machine = await startMachine(
    answers(listSessions, () => ({
      sessions: [
        {
          id: 's1',
          current: false,
          userAgent: UA,
          ip: '192.0.2.1',
          createdAt: at,
          activeAt: at,
          expiresAt: at,
        },
      ],
    })),
    answers(deleteSession, ({ params }) => {
      if (params.id !== 's1') throw new AloftError('not_found', 'There is no such session.')
      return { id: 's1' }
    }),
    answers(deleteOtherSessions, () => ({ ended: 2 })),
  )
  const listed = await machine.run(['sessions', 'ls'], env)
  assert.match(listed.stdout, /^s1 +Firefox on Linux +192\.0\.2\.1 +1d ago +1d ago +1d ago$/m)

  assert.equal((await machine.run(['sessions', 'rm', 's1'], env)).code, 2)
  assert.ok(machine.api.requests.every(({ method }) => method === 'GET'))
  assert.equal((await machine.run(['sessions', 'rm', 's1', '--yes'], env)).stdout, 'Signed out s1.\n')
  assert.equal((await machine.run(['session', 'rm', 's2', '--yes'], env)).code, 4)
  const all = await machine.run(['sessions', 'rm', '--all', '--yes', '--json'], env)
  assert.deepEqual(JSON.parse(all.stdout), { ended: 2 })
  for (const line of [
    ['sessions', 'rm'],
    ['sessions', 'rm', 's1', '--all'],
  ])
    assert.equal((await machine.run([...line, '--yes'], env)).code, 2)
})

test('a browser is told from what it says of itself', () => {
  const chrome = 'Mozilla/5.0 (Windows NT 10.0; Win64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36'
  assert.equal(browserOf(chrome), 'Chrome on Windows')
  assert.equal(browserOf(`${chrome} Edg/140.0`), 'Edge on Windows')
  assert.equal(browserOf('Mozilla/5.0 (iPhone; like Mac OS X) Version/18.0 Safari/604.1'), 'Safari on iPhone')
  assert.equal(browserOf('curl/8'), 'curl/8')
  assert.equal(browserOf(''), '-')
})
