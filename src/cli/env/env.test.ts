import assert from 'node:assert/strict'
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { parseEnv } from 'node:util'
import { answers } from '#client/client-testing.ts'
import {
  createVariables,
  type EnvType,
  listVariables,
  removeVariable,
  updateVariable,
} from '#contract/api/env-variable.ts'
import { AloftError } from '#contract/errors.ts'
import { startMachine, TOKEN } from '../cli-testing.ts'
import { LINK_FILE } from '../config/link-file.ts'
import { envLine } from './env-file.ts'

const env = { ALOFT_TOKEN: TOKEN }
const at = Date.now() - 86_400_000
const variable = (id: string, key: string, value: string, target: string[], more: object = {}) => ({
  id,
  key,
  value,
  type: 'encrypted' as EnvType,
  target,
  configurationId: null,
  createdAt: at,
  createdBy: null,
  updatedAt: at,
  updatedBy: null,
  decrypted: false,
  ...more,
})
const everywhere = ['production', 'preview', 'development']
const envs = [
  variable('env_1', 'API_KEY', 'top secret', everywhere),
  variable('env_2', 'API_KEY', 'for the branch', ['preview'], { gitBranch: 'dev' }),
  variable('env_3', 'HIDDEN', '', ['development'], { type: 'sensitive' }),
  variable('env_4', 'PROD_ONLY', 'x', ['production'], { type: 'plain' }),
  variable('env_5', 'TEXT', 'a "b" # c\nd', ['development']),
]

const machine = await startMachine(
  answers(listVariables, ({ params, query }) => {
    if (params.idOrName === 'nope') throw new AloftError('not_found', 'There is no project `nope`.')
    return { envs: envs.map((one) => (query.decrypt === 'true' ? one : { ...one, value: 'sealed' })) }
  }),
  answers(createVariables, ({ body, query }) => {
    const variables = [body].flat()
    const taken = variables.find(({ key }) => key === 'API_KEY')
    if (taken && query.upsert !== 'true') throw new AloftError('env_already_exists', 'API_KEY exists.')
    const created = variables.map(({ key, value, type, target }) =>
      variable('env_9', key, value, [target ?? []].flat(), { type }),
    )
    const failed = variables
      .filter(({ key }) => key === 'BAD')
      .map(({ key }) => ({ error: { code: 'ENV_CONFLICT', message: `${key} cannot be.`, key } }))
    return { created: Array.isArray(body) ? created : (created[0] as (typeof created)[0]), failed }
  }),
  answers(removeVariable, ({ params }) => envs.find(({ id }) => id === params.id) as (typeof envs)[0]),
  answers(updateVariable, ({ params, body }) => ({
    ...(envs.find(({ id }) => id === params.id) as (typeof envs)[0]),
    target: [body.target ?? []].flat(),
  })),
)
after(() => machine[Symbol.asyncDispose]())
const aloft = (line: readonly string[], input?: string) => machine.run(['env', ...line], env, input)
const on = ['--project', 'shop']
const bodies = () => machine.api.requests.filter(({ method }) => method !== 'GET')

test('without a project nothing is tried, and the linked folder names one', async () => {
  const count = machine.api.requests.length
  const lost = await aloft(['ls'])
  assert.equal(lost.code, 2)
  assert.match(
    lost.stderr,
    /not linked to one\.\n {2}hint: Link it with `aloft link`, or pass one with --project/,
  )
  assert.equal(machine.api.requests.length, count)

  const teamId = `team_${'a'.repeat(24)}`
  machine.link({ projectId: 'prj_linked', teamId })
  assert.equal((await aloft(['ls'])).code, 0)
  const seen = machine.api.requests.at(-1)
  assert.deepEqual([seen?.params.idOrName, seen?.query], ['prj_linked', { teamId }])
  // A project that is named is looked for in the same account.
  assert.equal((await aloft(['ls', ...on])).code, 0)
  const named = machine.api.requests.at(-1)
  assert.deepEqual([named?.params.idOrName, named?.query], ['shop', { teamId }])
  assert.equal((await aloft(['ls', ...on, '--personal'])).code, 0)
  assert.deepEqual(machine.api.requests.at(-1)?.query, {})
  writeFileSync(join(machine.home, LINK_FILE), '{')
  assert.match((await aloft(['ls'])).stderr, /project\.json cannot be read/)
  assert.equal((await aloft(['ls', ...on, '--personal'])).code, 0)
  machine.link({ projectId: 'prj_linked', teamId: null })
})

test('ls shows values only when it is asked to', async () => {
  const plain = await aloft(['ls', ...on])
  assert.match(plain.stdout, /^NAME +WHERE +TYPE +UPDATED$/m)
  assert.match(plain.stdout, /^API_KEY +preview \(branch dev\) +encrypted +1d ago$/m)
  const json = await aloft(['ls', 'production', ...on, '--json'])
  const shown = JSON.parse(json.stdout).envs as Record<string, unknown>[]
  assert.deepEqual(
    shown.map(({ id, value }) => [id, value]),
    [
      ['env_1', undefined],
      ['env_4', undefined],
    ],
  )
  const revealed = await aloft(['ls', ...on, '--reveal'])
  assert.match(revealed.stdout, /^API_KEY +top secret +production, preview, development/m)
  assert.match(revealed.stdout, /^HIDDEN +\(never shown\)/m)
  assert.equal((await aloft(['ls', '--project', 'nope'])).code, 4)
})

test('add takes the value from stdin and does not show it', async () => {
  const { code, stdout, stderr } = await aloft(['add', 'NEW', 'production', ...on, '--debug'], 's3cr3t\n')
  assert.deepEqual([code, stdout], [0, 'Set NEW in production.\n'])
  assert.doesNotMatch(stderr, /s3cr3t/)
  assert.deepEqual(bodies().at(-1)?.body, {
    key: 'NEW',
    value: 's3cr3t',
    type: 'encrypted',
    target: ['production'],
  })
  const json = await aloft(['add', 'NEW', ...on, '--sensitive', '--json'], 's3cr3t')
  assert.equal(JSON.parse(json.stdout).value, undefined)
  assert.deepEqual(JSON.parse(json.stdout).target, ['production', 'preview'])
  await aloft(['add', 'NEW', ...on, '--secret', 'db'])
  assert.deepEqual(bodies().at(-1)?.body, { key: 'NEW', value: '@db', type: 'secret', target: everywhere })
})

test('add refuses what is there, unless it is forced, and what contradicts itself', async () => {
  const taken = await aloft(['add', 'API_KEY', ...on], 'x')
  assert.equal(taken.code, 3)
  assert.match(taken.stderr, /hint: Change it with --force/)
  assert.equal((await aloft(['add', 'API_KEY', ...on, '--force'], 'x')).code, 0)
  assert.equal(bodies().at(-1)?.query.upsert, 'true')
  // Elsewhere the old value stays.
  assert.equal((await aloft(['add', 'API_KEY', 'production', ...on, '--force'], 'x')).code, 0)
  assert.deepEqual(
    bodies()
      .slice(-2)
      .map(({ method, params, body }) => [method, params.id, (body as { target: string[] }).target]),
    [
      ['PATCH', 'env_1', ['preview', 'development']],
      ['POST', undefined, ['production']],
    ],
  )
  assert.equal((await aloft(['add', 'NEW', ...on])).code, 2)
  assert.match(
    (await aloft(['add', 'NEW', ...on, '--plain', '--secret', 'a'], 'x')).stderr,
    /cannot be used together/,
  )
  assert.match(
    (await aloft(['add', 'NEW', 'Prod', ...on], 'x')).stderr,
    /"Prod" is not an environment: use production/,
  )
})

test('rm asks, removes everywhere, or keeps what is set elsewhere', async () => {
  const count = bodies().length
  assert.equal((await aloft(['rm', 'API_KEY', ...on])).code, 2)
  assert.equal(bodies().length, count)
  const all = await aloft(['rm', 'API_KEY', ...on, '--yes'])
  assert.match(
    all.stdout,
    /^Removed API_KEY from production, preview, development; preview \(branch dev\)\.\n$/,
  )
  assert.deepEqual(
    bodies()
      .slice(count)
      .map(({ method, params }) => [method, params.id]),
    [
      ['DELETE', 'env_1'],
      ['DELETE', 'env_2'],
    ],
  )
  await aloft(['rm', 'API_KEY', 'production', ...on, '--yes'])
  const last = bodies().at(-1)
  assert.deepEqual([last?.method, last?.body], ['PATCH', { target: ['preview', 'development'] }])
  assert.equal((await aloft(['rm', 'PROD_ONLY', 'preview', ...on, '--yes'])).code, 4)
})

test('pull writes a private file that reads as the values, and asks before it replaces one', async () => {
  const file = join(machine.home, '.env.local')
  const { stdout, stderr } = await aloft(['pull', ...on])
  assert.equal(stdout, 'Wrote 2 development variables to .env.local.\n')
  assert.match(stderr, /Skipped: HIDDEN/)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.deepEqual(
    { ...parseEnv(readFileSync(file, 'utf8')) },
    { API_KEY: 'top secret', TEXT: 'a "b" # c\nd' },
  )

  writeFileSync(file, 'MINE=1\n')
  chmodSync(file, 0o644)
  assert.equal((await aloft(['pull', ...on])).code, 2)
  assert.equal(readFileSync(file, 'utf8'), 'MINE=1\n')
  await aloft(['pull', ...on, '--yes', '--branch', 'dev'])
  assert.match(readFileSync(file, 'utf8'), /API_KEY='for the branch'/)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.deepEqual(
    readdirSync(machine.home).filter((name) => name.startsWith('.env')),
    ['.env.local'],
  )
  assert.match((await aloft(['pull', 'no/such/folder/.env', ...on])).stderr, /cannot be written/)
  assert.ok(!existsSync(join(machine.home, 'no')))
})

test('every value that can be written is read again, and none becomes another line', () => {
  for (const value of [
    '',
    'plain',
    ' blanks ',
    '$HOME `x`',
    "it's",
    '"',
    `'"`,
    'a\nb',
    "'\n\\n",
    '#',
    'a\\nb',
    "it's a\\tb",
    '=',
  ]) {
    const line = envLine('KEY', value)
    assert.ok(line !== undefined, value)
    assert.deepEqual({ ...parseEnv(`${line}\nNEXT=1`) }, { KEY: value, NEXT: '1' })
  }
  assert.equal(envLine('KEY', '\'"`\nX=1'), undefined)
})

test('push sets what the file has, for development, and asks before it changes anything', async () => {
  writeFileSync(join(machine.home, 'new.env'), '# mine\nONE=1\nTWO="2 #"\n')
  const count = bodies().length
  const { stdout } = await aloft(['push', 'new.env', ...on])
  assert.equal(stdout, 'Set 2 variables in development.\n')
  assert.deepEqual(bodies().at(-1)?.body, [
    { key: 'ONE', value: '1', type: 'encrypted', target: ['development'] },
    { key: 'TWO', value: '2 #', type: 'encrypted', target: ['development'] },
  ])
  writeFileSync(join(machine.home, 'new.env'), 'API_KEY=2\n')
  assert.equal((await aloft(['push', 'new.env', 'production', ...on])).code, 2)
  assert.equal(bodies().length, count + 1)
  const json = await aloft(['push', 'new.env', 'production', ...on, '--yes', '--json'])
  assert.deepEqual(JSON.parse(json.stdout), {
    target: ['production'],
    set: ['API_KEY'],
    changed: ['API_KEY'],
  })
  writeFileSync(join(machine.home, 'new.env'), 'BAD=2\nGOOD=1\n')
  const partly = await aloft(['push', 'new.env', ...on])
  assert.equal(partly.code, 1)
  assert.match(partly.stderr, /1 of 2 variables couldn’t be set: BAD cannot be\./)
  assert.match((await aloft(['push', 'none.env', ...on])).stderr, /none\.env cannot be read/)
})

test('push reads a file as the dashboard does, and says which lines it skips', async () => {
  const text = 'JSON="{\\"a\\": 1}"\nnot a variable\nPASSWORD=a#b\n'
  writeFileSync(join(machine.home, 'odd.env'), text)
  const { code, stderr } = await aloft(['push', 'odd.env', ...on])
  assert.equal(code, 0)
  assert.match(stderr, /Skipped line 2: Expected NAME=value\./)
  const sent = bodies().at(-1)?.body as { key: string; value: string }[]
  assert.deepEqual(
    sent.map(({ key, value }) => [key, value]),
    [
      ['JSON', '{"a": 1}'],
      ['PASSWORD', 'a#b'],
    ],
  )
})
