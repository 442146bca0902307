import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import { createToken, deleteToken, getToken, listTokens } from '#contract/api/token.ts'
import { AloftError } from '#contract/errors.ts'
import { DAY, HOUR } from '#contract/time.ts'
import { startMachine, TOKEN } from '../cli-testing.ts'

const env = { ALOFT_TOKEN: TOKEN }
const id = (start: string) => start.padEnd(64, '0')
const token = (start: string, name: string) => ({
  id: id(start),
  name,
  type: 'account',
  origin: null,
  createdAt: Date.now() - 3 * HOUR,
  activeAt: Date.now(),
})
const page = (...tokens: ReturnType<typeof token>[]) => ({
  tokens,
  pagination: { count: tokens.length, next: null, prev: null },
})
const get = answers(getToken, ({ params }) => {
  if (params.id === 'x') throw new AloftError('not_found', 'There is no token `x`.')
  return { token: { ...token('abc', 'ci'), id: params.id ?? '' } }
})
const remove = answers(deleteToken, ({ params }) => ({ tokenId: params.id ?? '' }))

test('create prints the value alone on stdout, so that it can be captured', async () => {
  await using machine = await startMachine(
    answers(createToken, ({ body }) => {
      assert.equal(body.name, 'ci')
      const days = ((body.expiresAt ?? 0) - Date.now()) / DAY
      assert.ok(days > 29.9 && days <= 30, String(days))
      return { token: { ...token('abc', body.name), expiresAt: body.expiresAt ?? 0 }, bearerToken: 'fresh' }
    }),
  )
  const { code, stdout, stderr } = await machine.run(['token', 'create', 'ci', '--expires-in', '30d'], env)
  assert.deepEqual([code, stdout], [0, 'fresh\n'], stderr)
  assert.match(stderr, /shown only once/)
  const json = await machine.run(['token', 'create', 'ci', '--expires-in', '30d', '--json'], env)
  assert.equal(JSON.parse(json.stdout).bearerToken, 'fresh')
  assert.equal(json.stderr, '')
})

test('ls aligns a table with relative times, and tells how to go on', async () => {
  await using machine = await startMachine(
    answers(listTokens, ({ query }) => {
      assert.deepEqual(query, { limit: '2', until: '1893456000000' })
      return {
        tokens: [
          { ...token('abcdef0123456789', 'ci\u001b[31m'), expiresAt: Date.now() + 30 * DAY },
          token('b', 'x'),
        ],
        pagination: { count: 2, next: 123, prev: null },
      }
    }),
  )
  const line = ['token', 'ls', '--limit', '2', '--until', '2030-01-01']
  const { stdout, stderr } = await machine.run(line, env)
  assert.equal(
    stdout,
    [
      'ID             NAME   TYPE      CREATED   USED   EXPIRES',
      'abcdef012345   ci     account   3h ago    now    in 30d',
      'b00000000000   x      account   3h ago    now    never',
      '',
    ].join('\n'),
  )
  assert.match(stderr, /aloft tokens ls --until 123/)
  assert.equal(JSON.parse((await machine.run([...line, '--json'], env)).stdout).pagination.next, 123)
})

test('an empty list says how to make the first', async () => {
  await using machine = await startMachine(answers(listTokens, () => page()))
  const { code, stdout, stderr } = await machine.run(['token', 'ls'], env)
  assert.deepEqual([code, stdout], [0, ''])
  assert.match(stderr, /aloft tokens create <name>/)
})

test('rm refuses without --yes where nobody can be asked, and revokes nothing', async () => {
  await using machine = await startMachine(get, remove)
  const { code, stderr } = await machine.run(['token', 'rm', id('abc')], env)
  assert.equal(code, 2)
  assert.match(stderr, /hint: Add --yes/)
  assert.ok(machine.api.requests.every(({ method }) => method === 'GET'))
})

test('rm revokes by a whole id, by `current` and by how an id begins', async () => {
  await using machine = await startMachine(
    get,
    remove,
    answers(listTokens, ({ query }) =>
      query.until === undefined
        ? { ...page(token('abcdef01aa', 'one')), pagination: { count: 1, next: 7, prev: null } }
        : page(token('abcdef01bb', 'two')),
    ),
  )
  const revoked = async (text: string) => {
    const { code, stdout, stderr } = await machine.run(['token', 'rm', text, '--yes', '--json'], env)
    assert.equal(code, 0, stderr)
    return JSON.parse(stdout).tokenId
  }
  assert.equal(await revoked(id('abc')), id('abc'))
  assert.equal(await revoked('current'), 'current')
  assert.equal(await revoked('abcdef01b'), id('abcdef01bb'))

  const several = await machine.run(['token', 'rm', 'abcdef01', '--yes'], env)
  assert.equal(several.code, 4)
  assert.match(several.stderr, /Several of your tokens/)
  assert.equal((await machine.run(['token', 'rm', 'abcdef0199', '--yes'], env)).code, 4)
})

test('rm of an unknown token exits with 4 and says where to look', async () => {
  await using machine = await startMachine(get)
  const { code, stderr } = await machine.run(['token', 'rm', 'x', '--yes'], env)
  assert.equal(code, 4)
  assert.match(stderr, /Could not revoke the token\.\n {2}There is no token `x`\.\n {2}hint: See your tokens/)
})
