import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import { inspectDomain } from '#contract/api/domain.ts'
import { AloftError } from '#contract/errors.ts'
import { startMachine, TOKEN } from '../cli-testing.ts'

const env = { ALOFT_TOKEN: TOKEN }
const inspection = {
  name: 'example.com',
  serviceType: 'external' as const,
  verified: false,
  checks: [
    { id: 'txt', status: 'missing' as const, found: [], expected: ['abc'], advice: 'Create it.' },
    { id: 'address', status: 'ok' as const, found: ['A 192.0.2.1'], expected: ['A 192.0.2.1'], advice: '' },
  ],
  nextStep: 'Create a TXT record\u001b[2J on _platform.example.com.',
}

test('inspect shows what is set and what to do next, and the whole answer to programs', async () => {
  await using machine = await startMachine(
    answers(inspectDomain, ({ params }) => {
      if (params.name !== 'example.com') throw new AloftError('not_found', 'There is no such domain.')
      return inspection
    }),
  )
  const shown = await machine.run(['domains', 'inspect', 'example.com'], env)
  assert.equal(shown.code, 0)
  assert.match(shown.stdout, /^example\.com: not verified, external$/m)
  assert.match(shown.stdout, /^CHECK +STATUS +FOUND +EXPECTED$/m)
  assert.match(shown.stdout, /^txt +missing +- +abc$/m)
  assert.match(shown.stdout, /^address +ok +A 192\.0\.2\.1 +A 192\.0\.2\.1$/m)
  assert.match(shown.stdout, /^Next: Create a TXT record on _platform\.example\.com\.$/m)
  const json = await machine.run(['domains', 'inspect', 'example.com', '--json'], env)
  assert.deepEqual(JSON.parse(json.stdout), inspection)
  const unknown = await machine.run(['domains', 'inspect', 'other.com'], env)
  assert.equal(unknown.code, 4)
  assert.match(unknown.stderr, /Add it first/)
})
