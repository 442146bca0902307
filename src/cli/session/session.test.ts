import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import { loginMethods, register, verify } from '#contract/api/login.ts'
import { deleteToken } from '#contract/api/token.ts'
import { getUser } from '#contract/api/user.ts'
import { AloftError } from '#contract/errors.ts'
import { sampleUser, startMachine, TOKEN } from '../cli-testing.ts'

const user = { ...sampleUser, softBlocked: true, operator: true }

const login = [
  answers(register, () => ({ token: 'poll-secret', securityCode: 'Swift Otter' })),
  answers(verify, ({ query }) => {
    assert.deepEqual(query, { email: 'Jo@Example.com', token: 'poll-secret' })
    return { token: TOKEN, email: 'jo@example.com', teamId: null }
  }),
]
const me = answers(getUser, ({ headers }) => {
  if (headers.authorization !== `Bearer ${TOKEN}`)
    throw new AloftError('auth_failed', 'The token is not valid.', { invalidToken: true })
  return { user }
})

test('login shows the security code, stores the token for its owner only, and prints it nowhere', async () => {
  await using machine = await startMachine(...login, me)
  const { code, stdout, stderr } = await machine.aloft(['login', 'Jo@Example.com'])
  assert.equal(code, 0, stderr)
  assert.match(stderr, /We sent a link to Jo@Example\.com\.\nOpen it, .* this security code: Swift Otter/)
  assert.equal(stdout, `Logged in to ${machine.api.baseUrl} as jo@example.com.\n`)
  assert.ok(!(stdout + stderr).includes(TOKEN) && !(stdout + stderr).includes('poll-secret'))
  const [asked] = machine.api.requests
  assert.match(JSON.stringify(asked?.body), /"tokenName":"aloft on ./)
  assert.match(asked?.headers['user-agent'] ?? '', /^aloft\/\d/)

  const file = join(machine.home, '.config/aloft/auth.json')
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.equal(JSON.parse(readFileSync(file, 'utf8')).logins[machine.api.baseUrl].token, TOKEN)

  // The stored login is found without anything being named, and used only where it was made.
  assert.equal((await machine.aloft(['whoami'], { ALOFT_BASE_URL: '' })).code, 0)
  assert.equal((await machine.aloft(['whoami'], { ALOFT_BASE_URL: 'http://127.0.0.1:1' })).code, 3)
})

test('a login tells when something else wins over it', async () => {
  await using machine = await startMachine(...login)
  const { code, stderr } = await machine.run(['login', 'Jo@Example.com'], { ALOFT_TOKEN: 'other' })
  assert.equal(code, 0)
  assert.match(stderr, /note: ALOFT_TOKEN is set and takes precedence/)
})

test('login without an address and without a terminal is wrong usage', async () => {
  await using machine = await startMachine()
  const { code, stderr } = await machine.run(['login'])
  assert.equal(code, 2)
  assert.match(stderr, /hint: aloft login you@example\.com/)
})

test('a refused login says why and stores nothing', async () => {
  await using machine = await startMachine(
    answers(register, () => {
      throw new AloftError('invalid_email', 'Invalid request: `email` is not an email address.')
    }),
  )
  const { code, stderr } = await machine.run(['login', 'nonsense'])
  assert.equal(code, 1)
  assert.match(stderr, /Could not log in\.\n {2}Invalid request: .*\n {2}hint: Check the spelling/)
  assert.throws(() => statSync(join(machine.home, '.config')), /ENOENT/)
})

test('login says where the link is when there is no mail server, and how a browser accepts it', async () => {
  const approveUrl = 'http://localhost:3000/login/approve'
  await using machine = await startMachine(
    ...login,
    answers(loginMethods, () => ({ mail: false, approveUrl })),
  )
  const { code, stderr } = await machine.run(['login', 'Jo@Example.com'])
  assert.equal(code, 0, stderr)
  assert.match(stderr, /no mail server set up: the link for Jo@Example\.com was printed in its terminal/)
  assert.ok(stderr.includes(`in a browser where you are signed in, open ${approveUrl}\n`))
  assert.doesNotMatch(stderr, /sent/)
})

test('logout revokes the stored token, not the one in the environment, and forgets it', async () => {
  await using machine = await startMachine(
    ...login,
    answers(deleteToken, () => ({ tokenId: 'x' })),
  )
  await machine.run(['login', 'Jo@Example.com'])
  const { code, stdout, stderr } = await machine.run(['logout'], { ALOFT_TOKEN: 'other' })
  assert.equal(code, 0)
  assert.match(stdout, /^Logged out of /)
  assert.match(stderr, /ALOFT_TOKEN is set and still in use/)
  const revoked = machine.api.requests.at(-1)
  assert.deepEqual(
    [revoked?.method, revoked?.path, revoked?.headers.authorization],
    ['DELETE', '/v3/user/tokens/current', `Bearer ${TOKEN}`],
  )
  assert.equal((await machine.run(['whoami'])).code, 3)
  const again = await machine.run(['logout', '--json'])
  assert.deepEqual(JSON.parse(again.stdout), {
    baseUrl: machine.api.baseUrl,
    loggedOut: false,
    revoked: false,
  })
})

test('logout forgets a token that is not valid any more', async () => {
  await using machine = await startMachine(
    ...login,
    answers(deleteToken, () => {
      throw new AloftError('auth_failed', 'The token is not valid.', { invalidToken: true })
    }),
  )
  await machine.run(['login', 'Jo@Example.com'])
  assert.equal((await machine.run(['logout'])).code, 0)
  assert.equal((await machine.run(['whoami'])).code, 3)
})

test('logout keeps a token that it could not revoke, unless told to only forget it', async () => {
  await using machine = await startMachine(
    ...login,
    me,
    answers(deleteToken, () => {
      throw new AloftError('internal_server_error', 'Something went wrong.')
    }),
  )
  await machine.run(['login', 'Jo@Example.com'])
  const failed = await machine.run(['logout'])
  assert.equal(failed.code, 1)
  assert.match(failed.stderr, /still logged in/)
  assert.equal((await machine.run(['whoami'])).code, 0)
  const local = await machine.run(['logout', '--local', '--json'])
  assert.deepEqual(JSON.parse(local.stdout), {
    baseUrl: machine.api.baseUrl,
    loggedOut: true,
    revoked: false,
  })
  assert.equal((await machine.run(['whoami'])).code, 3)
})

test('whoami shows the account and where the token came from', async () => {
  await using machine = await startMachine(me)
  const { stdout } = await machine.run(['whoami'], { ALOFT_TOKEN: TOKEN })
  assert.match(stdout, /^username +jo$/m)
  assert.match(stdout, /^role +operator/m)
  assert.match(stdout, /^status +blocked/m)
  assert.match(stdout, /^token +from ALOFT_TOKEN$/m)
})
