import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import { createSecret, deleteSecret, listSecrets, renameSecret } from '#contract/api/secret.ts'
import { AloftError } from '#contract/errors.ts'
import { startMachine, TOKEN } from '../cli-testing.ts'

const env = { ALOFT_TOKEN: TOKEN }
const secret = { uid: 'sec_1', name: 'db-password', created: new Date(Date.now() - 86_400_000).toISOString() }
const VALUE = 'hunter2\nsecond line'

const machine = await startMachine(
  answers(listSecrets, () => ({ secrets: [secret], pagination: { count: 1, next: null, prev: null } })),
  answers(createSecret, ({ body }) => {
    if (body.name === 'taken') throw new AloftError('secret_already_exists', 'It exists.')
    const value = { type: 'Buffer' as const, data: [...Buffer.from(body.value)] }
    return { ...secret, name: body.name, userId: 'u1', value }
  }),
  answers(renameSecret, ({ params, body }) => ({ ...secret, name: body.name, oldName: params.name ?? '' })),
  answers(deleteSecret, () => secret),
)
after(() => machine[Symbol.asyncDispose]())
const aloft = (line: readonly string[], input?: string) => machine.run(['secrets', ...line], env, input)

test('ls names them', async () => {
  assert.match((await aloft(['ls'])).stdout, /^db-password +sec_1 +1d ago$/m)
})

test('add reads the value from stdin and shows it nowhere, not even with --debug', async () => {
  const { code, stdout, stderr } = await aloft(['add', 'db-password', '--debug'], `${VALUE}\n`)
  assert.deepEqual([code, stdout], [0, 'sec_1\n'])
  assert.deepEqual(machine.api.requests.at(-1)?.body, { name: 'db-password', value: VALUE })
  assert.doesNotMatch(stderr, /hunter2|104,117,110/)
  const json = await aloft(['add', 'db-password', '--json'], VALUE)
  assert.deepEqual(JSON.parse(json.stdout), secret)
})

test('add without a value, or under a name that is taken, says what to do', async () => {
  const empty = await aloft(['add', 'db-password'])
  assert.equal(empty.code, 2)
  assert.match(empty.stderr, /hint: aloft secrets add db-password < file/)
  const taken = await aloft(['add', 'taken'], VALUE)
  assert.equal(taken.code, 1)
  assert.match(taken.stderr, /hint: Choose another name/)
})

test('rename and rm', async () => {
  const renamed = await aloft(['rename', 'db-password', 'db'])
  assert.equal(renamed.stdout, 'Renamed the secret db-password to db.\n')
  assert.equal((await aloft(['rm', 'db-password'])).code, 2)
  assert.equal((await aloft(['rm', 'db-password', '--yes'])).stdout, 'Deleted the secret db-password.\n')
})
