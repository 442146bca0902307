import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import { createDrain, deleteDrain, getDrain, getVerifyCode, listDrains } from '#contract/api/drain.ts'
import { AloftError } from '#contract/errors.ts'
import { startMachine, TOKEN } from '../cli-testing.ts'

const env = { ALOFT_TOKEN: TOKEN }
const drain = {
  id: 'ld_1',
  name: 'logs',
  url: 'https://logs.example.com/in',
  deliveryFormat: 'json',
  sources: ['lambda'],
  createdAt: Date.now() - 86_400_000,
  ownerId: 'u1',
  createdFrom: 'self-served',
  status: 'enabled',
}

const machine = await startMachine(
  answers(listDrains, () => [drain]),
  answers(getDrain, ({ params }) => {
    if (params.id !== 'ld_1') throw new AloftError('not_found', 'There is no such log drain.')
    return drain
  }),
  answers(createDrain, ({ body }) => ({ ...drain, name: body.name })),
  answers(getVerifyCode, () => ({ code: 'verify-me' })),
  answers(deleteDrain, () => undefined),
)
after(() => machine[Symbol.asyncDispose]())
const aloft = (line: readonly string[], input?: string) => machine.run(['drains', ...line], env, input)

test('ls shows what is sent where', async () => {
  const { stdout } = await aloft(['ls'])
  assert.match(stdout, /^ld_1 +logs +https:\/\/logs\.example\.com\/in +json +lambda +enabled +1d ago$/m)
})

test('add sends what was said, and shows neither secret nor headers', async () => {
  assert.equal((await aloft(['add', drain.url])).stdout, 'ld_1\n')
  assert.deepEqual(machine.api.requests.at(-1)?.body, {
    name: 'logs.example.com',
    url: drain.url,
    deliveryFormat: 'json',
  })
  const options = '--format ndjson --source lambda --source edge --environment production --sampling-rate 0.5'
  const line = ['add', drain.url, ...options.split(' '), '--header', 'x-api-key: k3y', '--sign', '--debug']
  const { code, stdout, stderr } = await aloft(line, 's3cr3t\n')
  assert.equal(code, 0)
  assert.deepEqual(machine.api.requests.at(-1)?.body, {
    name: 'logs.example.com',
    url: drain.url,
    deliveryFormat: 'ndjson',
    sources: ['lambda', 'edge'],
    environments: ['production'],
    headers: { 'x-api-key': 'k3y' },
    secret: 's3cr3t',
    samplingRate: 0.5,
  })
  assert.doesNotMatch(`${stdout}${stderr}`, /k3y|s3cr3t/)
  assert.match((await aloft(['add', drain.url, '--sampling-rate', '2'])).stderr, /at most 1/)
  assert.match((await aloft(['add', drain.url, '--header', 'none'])).stderr, /a name and a value/)
  assert.equal((await aloft(['add', drain.url, '--sign'])).code, 2)
})

test('rm asks first', async () => {
  assert.equal((await aloft(['rm', 'ld_1'])).code, 2)
  assert.equal((await aloft(['rm', 'ld_1', '--yes'])).stdout, 'Removed the log drain logs.\n')
  assert.equal((await aloft(['rm', 'ld_2', '--yes'])).code, 4)
})

test('verify-code tells what an address has to answer', async () => {
  assert.equal((await machine.run(['drains', 'verify-code'], env)).stdout, 'verify-me\n')
})
