import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import { changeProtectionBypass, getProject, updateProject } from '#contract/api/project.ts'
import { acceptProject, cancelOffer, offerProject } from '#contract/api/project-transfer.ts'
import { AloftError } from '#contract/errors.ts'
import { startMachine, TOKEN } from '../cli-testing.ts'
import { sampleProject } from './project-testing.ts'

const env = { ALOFT_TOKEN: TOKEN }
const about = (createdAt: number) => ({ createdAt, createdBy: 'u1', scope: 'automation-bypass' as const })
const OLD = `old${'x'.repeat(29)}`
const NEW = `new${'y'.repeat(29)}`
let secrets: Record<string, ReturnType<typeof about>>
beforeEach(() => {
  secrets = { [OLD]: about(1) }
})

const machine = await startMachine(
  answers(getProject, ({ params }) => {
    if (params.idOrName === 'nope') throw new AloftError('not_found', 'There is no project `nope`.')
    return { ...sampleProject, protectionBypass: secrets }
  }),
  answers(updateProject, () => ({ ...sampleProject, protectionBypass: secrets })),
  answers(changeProtectionBypass, ({ body }) => {
    const kept = Object.fromEntries(Object.entries(secrets).filter(([one]) => one !== body.revoke?.secret))
    const made = body.generate !== undefined || body.revoke?.regenerate ? { [NEW]: about(2) } : {}
    secrets = { ...kept, ...made }
    return { protectionBypass: secrets }
  }),
  answers(offerProject, () => ({ code: 'code123' })),
  answers(cancelOffer, () => undefined),
  answers(acceptProject, ({ body }) => ({
    id: 'prj_1',
    name: body.newProjectName ?? 'shop',
    accountId: 'u1',
    createdAt: 1,
    updatedAt: 1,
  })),
)
after(() => machine[Symbol.asyncDispose]())
const run = (...line: string[]) => machine.run(['projects', ...line], env)
const last = () => machine.api.requests.at(-1)

test('set sends what was named, in the form that the API has for it', async () => {
  const { code, stdout } = await run(
    ...['set', 'shop', '--build-command', 'npm run site', '--framework', 'auto', '--directory-listing', 'on'],
  )
  assert.deepEqual([code, stdout], [0, 'Changed shop.\n'])
  assert.deepEqual(last()?.body, { buildCommand: 'npm run site', framework: null, directoryListing: true })
  await run('set', 'shop', '--production-branch', 'trunk')
  assert.deepEqual(last()?.body, { productionBranch: 'trunk' })
  await run('set', 'shop', '--production-branch', 'auto')
  assert.deepEqual(last()?.body, { productionBranch: null })
  assert.equal((await run('set', 'shop')).code, 2)
  assert.equal((await run('set', 'shop', '--directory-listing', 'maybe')).code, 2)
  for (const [time, seconds] of [
    ['12h', 43_200],
    ['off', 0],
  ] as const) {
    await run('set', 'shop', '--skew-protection', time)
    assert.deepEqual(last()?.body, { skewProtectionMaxAge: seconds })
  }
  assert.equal((await run('set', 'shop', '--skew-protection', '12')).code, 2)
})

test('a password is read without showing it, and what it covers is said in words', async () => {
  const line = ['projects', 'protect', 'password', 'shop', '--for', 'previews']
  const { stdout, stderr } = await machine.run([...line, '--debug'], env, 'open sesame\n')
  assert.equal(stdout, 'shop is protected by password.\n')
  assert.deepEqual(last()?.body, {
    passwordProtection: { deploymentType: 'preview', password: 'open sesame' },
  })
  assert.ok(!stderr.includes('open sesame'), stderr)
  assert.equal((await machine.run(line, env)).code, 2)
})

test('sign-in, addresses and paths protect as well, and an end needs consent', async () => {
  await run('protect', 'sign-in', 'shop')
  assert.deepEqual(last()?.body, {
    ssoProtection: { deploymentType: 'prod_deployment_urls_and_all_previews' },
  })
  await run('protect', 'addresses', 'shop', '--for', 'production', '--address', '192.0.2.0/24')
  assert.deepEqual(last()?.body, {
    trustedIps: {
      deploymentType: 'production',
      addresses: [{ value: '192.0.2.0/24' }],
      protectionMode: 'additional',
    },
  })
  await run('protect', 'options', 'shop', '--path', '/api')
  assert.deepEqual(last()?.body, { optionsAllowlist: { paths: [{ value: '/api' }] } })
  for (const line of [['addresses'], ['options'], ['sign-in', 'shop', '--for', 'production']])
    assert.equal((await run('protect', ...line, ...(line.length === 1 ? ['shop'] : []))).code, 2)
  assert.equal((await run('protect', 'password', 'shop', '--off')).code, 2)
  await run('protect', 'password', 'shop', '--off', '--yes')
  assert.deepEqual(last()?.body, { passwordProtection: null })
})

test('secrets that pass the protection are shown whole only where they are made or asked for', async () => {
  for (const line of [
    ['bypass', 'ls', 'shop'],
    ['bypass', 'ls', 'shop', '--json'],
    ['inspect', 'shop', '--json'],
  ])
    assert.ok(!(await run(...line)).stdout.includes(OLD), line.join(' '))
  assert.match((await run('bypass', 'ls', 'shop', '--reveal')).stdout, new RegExp(`^${OLD} `, 'm'))
  assert.equal((await run('bypass', 'add', 'shop')).stdout, `${NEW}\n`)
})

test('a secret is revoked by its beginning, and another may take its place', async () => {
  assert.equal((await run('bypass', 'rm', OLD.slice(0, 6), 'shop')).code, 2)
  assert.equal((await run('bypass', 'rm', 'nope', 'shop', '--yes')).code, 4)
  const renewed = await run('bypass', 'rm', OLD.slice(0, 6), 'shop', '--renew', '--yes')
  assert.equal(renewed.stdout, `${NEW}\n`)
  assert.equal((await run('bypass', 'rm', NEW.slice(0, 6), 'shop', '--yes')).code, 0)
  assert.deepEqual(secrets, {})
})

test('a project is offered, withdrawn and taken', async () => {
  assert.equal((await run('transfer', 'shop')).code, 2)
  assert.equal((await run('transfer', 'shop', '--yes')).stdout, 'code123\n')
  assert.match((await run('transfer', 'shop', '--cancel')).stdout, /Cancelled the transfer/)
  assert.equal((await run('accept', 'code123', '--name', 'store')).stdout, 'Accepted the project store.\n')
  assert.equal(last()?.path, '/projects/transfer-request/code123')
})
