import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import {
  addDomain,
  deleteDomain,
  getDomain,
  inspectDomain,
  listDomains,
  verifyDomain,
} from '#contract/api/domain.ts'
import {
  addProjectDomain,
  removeProjectDomain,
  updateProjectDomain,
  verifyProjectDomain,
} from '#contract/api/project-domain.ts'
import { buyDomain, getDomainPrice, getDomainRegistry, getDomainStatus } from '#contract/api/registrar.ts'
import { AloftError } from '#contract/errors.ts'
import { startMachine, TOKEN } from '../cli-testing.ts'
import { sampleDomain } from './domain-testing.ts'

const env = { ALOFT_TOKEN: TOKEN }
const at = Date.now() - 86_400_000
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
const domain = { ...sampleDomain, createdAt: at }
const single = { ...domain, suffix: false, aliases: [], certs: [] }
const attached = {
  name: 'www.example.com',
  apexName: 'example.com',
  projectId: 'prj_1',
  redirect: null,
  redirectStatusCode: null,
  gitBranch: null,
  customEnvironmentId: null,
  verified: true,
  createdAt: at,
  updatedAt: at,
}
const txt = {
  type: 'TXT' as const,
  domain: '_platform.example.com',
  value: 'prove-it',
  reason: 'pending_domain_verification' as const,
}

const machine = await startMachine(
  answers(getDomainStatus, ({ query }) => ({ available: query.name !== 'taken.com' })),
  answers(getDomainPrice, ({ query }) => ({ price: query.type === 'transfer' ? 15 : 20, period: 1 })),
  answers(buyDomain, ({ body }) => {
    if (body.name === 'taken.com') throw new AloftError('not_available', 'It already registered.')
    return undefined
  }),
  answers(getDomainRegistry, ({ params }) => ({
    transferable: params.name !== 'locked.com',
    transferPolicy: 'charge-and-renew',
    reason: params.name === 'locked.com' ? 'it is locked' : '',
    status: 'undef',
  })),
  answers(listDomains, () => ({ domains: [domain], pagination: { count: 1, next: null, prev: null } })),
  answers(addDomain, ({ body }) => {
    if (body.authCode === 'wrong') throw new AloftError('invalid_auth_code', 'The code is wrong.')
    return { domain }
  }),
  answers(verifyDomain, ({ params }) => {
    if (params.name !== 'example.com') throw new AloftError('verification_failed', 'Nothing was found.')
    return { domain: { ...single, verified: true } }
  }),
  answers(getDomain, () => ({ domain: single })),
  answers(deleteDomain, () => ({ uid: 'dom_1' })),
  answers(inspectDomain, ({ params }) => {
    if (params.name !== 'example.com') throw new AloftError('not_found', 'There is no such domain.')
    return inspection
  }),
  answers(addProjectDomain, ({ body }) => ({
    ...attached,
    ...body,
    ...(body.name === 'waits.example.com' ? { verified: false, verification: [txt] } : {}),
  })),
  answers(verifyProjectDomain, () => attached),
  answers(updateProjectDomain, ({ body }) => ({
    ...attached,
    redirect: body.redirect ?? null,
    gitBranch: body.gitBranch ?? null,
  })),
  answers(removeProjectDomain, () => ({})),
)
after(() => machine[Symbol.asyncDispose]())
const aloft = (line: readonly string[], input?: string) => machine.run(['domains', ...line], env, input)
const last = () => machine.api.requests.at(-1)
const paid = () => machine.api.requests.filter(({ method }) => method === 'POST').length

test('inspect shows what is set and what to do next, and the whole answer to programs', async () => {
  const shown = await aloft(['inspect', 'example.com'])
  assert.equal(shown.code, 0)
  assert.match(shown.stdout, /^example\.com: not verified, external$/m)
  assert.match(shown.stdout, /^CHECK +STATUS +FOUND +EXPECTED$/m)
  assert.match(shown.stdout, /^txt +missing +- +abc$/m)
  assert.match(shown.stdout, /^address +ok +A 192\.0\.2\.1 +A 192\.0\.2\.1$/m)
  assert.match(shown.stdout, /^Next: Create a TXT record on _platform\.example\.com\.$/m)
  const json = await aloft(['inspect', 'example.com', '--json'])
  assert.deepEqual(JSON.parse(json.stdout), inspection)
  const unknown = await aloft(['inspect', 'other.com'])
  assert.equal(unknown.code, 4)
  assert.match(unknown.stderr, /Add it first: aloft domains add/)
})

test('ls, add and verify say where a domain stands', async () => {
  assert.match((await aloft(['ls'])).stdout, /^example\.com +no +elsewhere +- +1d ago$/m)
  const added = await aloft(['add', 'example.com'])
  assert.match(added.stdout, /TXT record on _platform\.example\.com with the value proof$/m)
  assert.match(added.stdout, /ns1\.aloft\.test, ns2\.aloft\.test$/m)
  const verified = await aloft(['verify', 'example.com'])
  assert.match(verified.stdout, /^example\.com is verified/)
  assert.equal(verified.stderr, 'Looking up the DNS records of example.com…\n')
  const failed = await aloft(['verify', 'other.com'])
  assert.equal(failed.code, 1)
  assert.match(failed.stderr, /aloft domains inspect/)
})

test('rm asks first, and does not take a whole domain for a name below it', async () => {
  assert.equal((await aloft(['rm', 'example.com'])).code, 2)
  const below = await aloft(['rm', 'www.example.com', '--yes'])
  assert.equal(below.code, 4)
  assert.match(below.stderr, /is a subdomain of example\.com/)
  assert.ok(machine.api.requests.every(({ method }) => method !== 'DELETE'))
  assert.equal((await aloft(['rm', 'example.com', '--yes'])).stdout, 'Removed example.com.\n')
})

test('price tells both, and buying sends along what was agreed', async () => {
  assert.match((await aloft(['price', 'new.com'])).stdout, /^new\.com costs \$20 for 1 year\. Buy it/)
  assert.match((await aloft(['price', 'taken.com'])).stdout, /already registered/)
  const before = paid()
  assert.equal((await aloft(['buy', 'new.com'])).code, 2)
  const dear = await aloft(['buy', 'new.com', '--max-price', '19', '--yes'])
  assert.equal(dear.code, 1)
  assert.match(dear.stderr, /more than \$19/)
  assert.equal(paid(), before)
  assert.equal(
    (await aloft(['buy', 'new.com', '--max-price', '20', '--yes'])).stdout,
    'Bought new.com for $20 for 1 year.\n',
  )
  assert.deepEqual(last()?.body, { name: 'new.com', expectedPrice: 20 })
  assert.match((await aloft(['buy', 'taken.com', '--yes'])).stderr, /aloft domains transfer-in/)
})

test('transfer-in takes the code from stdin and never shows it', async () => {
  const before = paid()
  assert.match((await aloft(['transfer-in', 'locked.com', '--yes'], 'c0de')).stderr, /it is locked/)
  assert.equal((await aloft(['transfer-in', 'mine.com'], 'c0de')).code, 2)
  assert.equal((await aloft(['transfer-in', 'mine.com', '--yes'])).code, 2)
  assert.equal(paid(), before)
  const begun = await aloft(['transfer-in', 'mine.com', '--yes', '--debug'], 'c0de\n')
  assert.equal(begun.code, 0)
  assert.ok(!`${begun.stdout}${begun.stderr}`.includes('c0de'))
  assert.deepEqual(last()?.body, {
    name: 'mine.com',
    method: 'transfer-in',
    authCode: 'c0de',
    expectedPrice: 15,
  })
  assert.match(
    (await aloft(['transfer-in', 'mine.com', '--yes'], 'wrong')).stderr,
    /Get the authorization code from the current registrar/,
  )
})

test('attach and detach change what a project has', async () => {
  const plain = await aloft(['attach', 'www.example.com', 'shop'])
  assert.match(plain.stdout, /^www\.example\.com serves the production deployment of shop\./)
  await aloft(['attach', 'www.example.com', 'shop', '--redirect', 'example.com', '--status', '308'])
  assert.deepEqual(last()?.body, {
    name: 'www.example.com',
    redirect: 'example.com',
    redirectStatusCode: 308,
  })
  const waits = await aloft(['attach', 'waits.example.com', 'shop'])
  assert.match(waits.stdout, /TXT record on _platform\.example\.com with the value prove-it\n/)
  assert.match(waits.stdout, /aloft domains verify waits\.example\.com --project shop$/m)
  await aloft(['verify', 'waits.example.com', '--project', 'shop'])
  assert.equal(last()?.path, '/v9/projects/shop/domains/waits.example.com/verify')
  assert.equal((await aloft(['attach', 'a.example.com', 'shop', '--status', '308'])).code, 2)
  assert.match((await aloft(['attach', 'a.example.com'])).stderr, /not linked/)
  assert.equal((await aloft(['detach', 'www.example.com', 'shop'])).code, 2)
  const gone = await aloft(['detach', 'www.example.com', 'shop', '--yes'])
  assert.equal(gone.stdout, 'Detached www.example.com from shop.\n')
})

test('set changes what a domain shows', async () => {
  const set = (...line: string[]) => machine.run(['domains', 'set', 'www.example.com', 'shop', ...line], env)
  const body = () => machine.api.requests.at(-1)?.body
  assert.match((await set('--redirect', 'example.com', '--status', '308')).stdout, /redirects to example/)
  assert.deepEqual(body(), { redirect: 'example.com', gitBranch: null, redirectStatusCode: 308 })
  assert.match((await set('--branch', 'dev')).stdout, /serves the branch dev of shop/)
  assert.deepEqual(body(), { redirect: null, gitBranch: 'dev', redirectStatusCode: null })
  assert.match((await set('--production')).stdout, /serves the production deployment of shop/)
  await set('--status', '301')
  assert.deepEqual(body(), { redirectStatusCode: 301 })
  for (const line of [[], ['--branch', 'dev', '--production'], ['--status', '200']])
    assert.equal((await set(...line)).code, 2)
})
