import assert from 'node:assert/strict'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import { listTokens } from '#contract/api/token.ts'
import { getUser } from '#contract/api/user.ts'
import { AloftError } from '#contract/errors.ts'
import { sampleUser, startMachine, TOKEN } from './cli-testing.ts'

const user = { ...sampleUser, operator: true }

test('help is given at every level, with examples, and documents the exit codes', async () => {
  await using machine = await startMachine()
  for (const line of [
    ['--help'],
    ['help'],
    ['token', '--help'],
    ['operator', 'accounts', '--help'],
    ['token', 'create', '--help'],
    ['help', 'teams', 'members', 'role'],
  ]) {
    const { code, stdout, stderr } = await machine.run(line)
    assert.deepEqual([code, stderr], [0, ''], line.join(' '))
    assert.match(stdout, /^Usage: aloft/)
    assert.match(stdout, /^Examples:$/m)
  }
  const { stdout } = await machine.aloft(['--help'])
  for (const exit of [
    '0 +success',
    '1 +the command or the build failed',
    '2 +invalid usage',
    '3 +not logged in',
    '4 +not found',
    '130 +stop',
  ])
    assert.match(stdout, new RegExp(`^ {2}${exit}`, 'm'))
  const { stdout: create } = await machine.run(['help', 'token', 'create'])
  assert.match(create, /--expires-in <duration>/)
  assert.match(create, /--json/)
})

test('wrong usage exits with 2, says what is wrong and suggests what was meant', async () => {
  await using machine = await startMachine()
  const cases: readonly [string[], RegExp][] = [
    [['tokes', 'ls'], /unknown command 'tokes'\. Did you mean tokens\?\n {2}hint: aloft --help/],
    [['token', 'lst'], /unknown command 'lst'\. Did you mean ls\?\n {2}hint: aloft tokens --help/],
    [['doctor'], /unknown command 'doctor'\. Did you mean `aloft operator doctor`\?\n {2}hint: aloft --help/],
    [['token', 'doctor'], /unknown command 'doctor'\. Did you mean `aloft operator doctor`\?/],
    [['help', 'doctor'], /unknown command 'doctor'\. Did you mean `aloft operator doctor`\?/],
    [['quotas', 'set', 'free'], /unknown command 'quotas'\. Did you mean `aloft operator quotas set`\?/],
    [['create', 'token', 'ci'], /unknown command 'create'\. Did you mean `aloft tokens create`\?/],
    [['token', 'deploy'], /unknown command 'deploy'\. Did you mean `aloft deploy`\?/],
    [['create'], /unknown command 'create'\. Did you mean one of `aloft [a-z ]+ create`, .+\?/],
    [['whoami', '--jsn'], /unknown option '--jsn'\. Did you mean --json\?/],
    [['token', 'create'], /missing required argument 'name'\.\n {2}hint: aloft tokens create --help/],
    [['token', 'create', ''], /<name>: it should not be empty/],
    [['token', 'create', 'a', 'b'], /too many arguments/],
    [['token', 'create', 'a', '--expires-in', 'soon'], /--expires-in: "soon" is not a duration/],
    [['token', 'ls', '--limit', '101'], /--limit: "101" should be a number from 1 to 100/],
    [['whoami', '--base-url', 'localhost'], /--base-url is "localhost": it should start with http/],
    [['help', 'nope'], /unknown command 'nope'/],
    [['token'], /^Usage: aloft token/],
    [[], /is not a site folder: it contains all your files\.\n {2}hint: Change to the folder/],
    [['--prodd'], /unknown option '--prodd'\. Did you mean --prod\?\n {2}hint: aloft deploy --help/],
  ]
  for (const [line, expected] of cases) {
    const { code, stdout, stderr } = await machine.run(line, { ALOFT_TOKEN: TOKEN })
    assert.deepEqual([code, stdout], [2, ''], line.join(' '))
    assert.match(stderr, expected)
  }
  assert.deepEqual(machine.api.requests, [])
})

test('nobody logged in exits with 3 and says how to log in', async () => {
  await using machine = await startMachine()
  const { code, stdout, stderr } = await machine.aloft(['whoami'])
  assert.deepEqual([code, stdout], [3, ''])
  assert.match(stderr, /^error: Could not look up the current user\.\n {2}You are not logged in to http/)
  assert.match(stderr, /hint: Run `aloft login`/)
})

test('a refused token exits with 3 and names where it came from', async () => {
  await using machine = await startMachine(
    answers(getUser, () => {
      throw new AloftError('auth_failed', 'The token is not valid.', { invalidToken: true })
    }),
  )
  const { code, stderr } = await machine.aloft(['whoami', '--token', TOKEN])
  assert.equal(code, 3)
  assert.match(stderr, /The token is not valid\.\n {2}hint: The token comes from --token/)
  assert.match(stderr, /request: req_test1/)
})

test('an installation that cannot be reached exits with 1 and says what to try', async () => {
  await using machine = await startMachine()
  const env = { ALOFT_BASE_URL: 'http://127.0.0.1:1', ALOFT_TOKEN: TOKEN }
  const { code, stderr } = await machine.aloft(['whoami'], env)
  assert.equal(code, 1)
  assert.match(
    stderr,
    /Could not reach http:\/\/127\.0\.0\.1:1: .*\n {2}hint: .*--base-url or ALOFT_BASE_URL/,
  )
})

test('with --json results and failures are JSON, on stdout and stderr', async () => {
  await using machine = await startMachine(
    answers(getUser, () => ({ user })),
    answers(listTokens, () => {
      throw new AloftError('payment_required', 'This account is blocked.')
    }),
  )
  const env = { ALOFT_TOKEN: TOKEN }
  const good = await machine.aloft(['--json', 'whoami'], env)
  assert.deepEqual(JSON.parse(good.stdout), {
    user,
    team: null,
    baseUrl: machine.api.baseUrl,
    tokenFrom: 'ALOFT_TOKEN',
  })
  const bad = await machine.aloft(['token', 'ls', '--json'], env)
  assert.deepEqual([bad.code, bad.stdout], [1, ''])
  const { error } = JSON.parse(bad.stderr)
  assert.deepEqual(
    [error.code, error.message, error.status, error.requestId],
    ['payment_required', 'This account is blocked.', 402, 'req_test2'],
  )
  const usage = await machine.aloft(['token', 'create', '--json'], env)
  assert.equal(JSON.parse(usage.stderr).error.code, 'usage')
})

test('what is named for a call wins: an option over the environment', async () => {
  await using machine = await startMachine(answers(getUser, () => ({ user })))
  await machine.aloft(['whoami'], { ALOFT_TOKEN: 'from-the-environment' })
  await machine.aloft(['whoami', '--token', 'from-the-option', '--base-url', machine.api.baseUrl], {
    ALOFT_TOKEN: 'from-the-environment',
    ALOFT_BASE_URL: 'http://127.0.0.1:1',
  })
  assert.deepEqual(
    machine.api.requests.map(({ headers }) => headers.authorization),
    ['Bearer from-the-environment', 'Bearer from-the-option'],
  )
})

test('--debug shows requests and answers on stderr, without the token', async () => {
  await using machine = await startMachine(answers(getUser, () => ({ user })))
  const { stdout, stderr } = await machine.aloft(['whoami', '--debug', '--json'], { ALOFT_TOKEN: TOKEN })
  assert.equal(JSON.parse(stdout).user.username, 'jo')
  assert.match(stderr, /^> GET http.*\/v2\/user$/m)
  assert.match(stderr, /^> authorization: \[redacted\]$/m)
  assert.match(stderr, /^< 200 after \d+ ms$/m)
  assert.match(stderr, /"username":"jo"/)
  assert.ok(!stderr.includes(TOKEN))
})

test('output that is piped has no colours', async () => {
  await using machine = await startMachine(answers(getUser, () => ({ user })))
  const { stdout } = await machine.aloft(['whoami'], { ALOFT_TOKEN: TOKEN, FORCE_COLOR: '1', TERM: 'xterm' })
  assert.ok(!stdout.includes('\u001b'))
  assert.match(stdout, /^email +jo@example\.com$/m)
})

test('a reader that stops early is no failure', async () => {
  await using machine = await startMachine()
  const child = machine.start(['--help'])
  const exit = once(child, 'exit')
  child.stdout.destroy()
  assert.equal(await text(child.stderr), '')
  assert.deepEqual(await exit, [0, null])
})

test('a command that takes no team says so when it is given one', async () => {
  await using machine = await startMachine(
    answers(listTokens, () => ({ tokens: [], pagination: { count: 0, next: null, prev: null } })),
  )
  const { code, stderr } = await machine.run(['token', 'ls', '--team', 'acme'], { ALOFT_TOKEN: TOKEN })
  assert.equal(code, 0)
  assert.match(stderr, /note: --team has no effect here/)
})
