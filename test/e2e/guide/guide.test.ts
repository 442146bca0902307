import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { freePort } from '#test/support/free-port.ts'
import { blocksOf, createReader, missingLine, type Reader, readPage } from '#test/support/program/doc-page.ts'
import { type Packed, pack, type Unpacked, unpack } from '#test/support/program/package.ts'
import { dropSeveral, isSeveral, openSeveral } from '#test/support/several.ts'

const root = resolve(import.meta.dirname, '../../..')

/** Each is followed from its first block to its last, on the installation that the guide starts. */
const PAGES = [
  'docs/README.md',
  'docs/deploying.md',
  'docs/projects.md',
  'docs/variables.md',
  'docs/domains.md',
  'docs/certificates.md',
  'docs/protection.md',
  'docs/logs.md',
  'docs/analytics.md',
  'docs/crons.md',
  'docs/caching.md',
  'docs/images.md',
  'docs/releases.md',
  'docs/environments.md',
  'docs/drains.md',
  'docs/teams.md',
  'docs/webhooks.md',
  'docs/integrations.md',
  'docs/live-updates.md',
  'docs/audit.md',
  'docs/ci.md',
  'docs/moving.md',
]

/** These speak to somebody in a clone. Examples that fetch packages are deployed by the test of applications. */
const CLONE_PAGES = [
  'README.md',
  'examples/README.md',
  'examples/static/README.md',
  'examples/function/README.md',
  'examples/python/README.md',
]

let home: string
let packed: Packed
let unpacked: Unpacked
let reader: Reader
let database: string | undefined

before(async () => {
  home = mkdtempSync(join(tmpdir(), 'aloft-guide-'))
  const programs = join(home, '.programs')
  mkdirSync(programs)
  // `aloft` is the package of this checkout, as the guide has its readers install it.
  packed = await pack()
  unpacked = await unpack(packed)
  symlinkSync(unpacked.bin, join(programs, 'aloft'))
  const ports = { 3000: await freePort(), 3443: await freePort(), 5300: await freePort() }
  // What is fetched once from the package registry serves all installations of all tests.
  const tools = join(tmpdir(), 'aloft-test-toolchains')
  mkdirSync(tools, { recursive: true, mode: 0o700 })
  mkdirSync(join(home, 'aloft/.aloft'), { recursive: true, mode: 0o700 })
  symlinkSync(tools, join(home, 'aloft/.aloft/toolchains'))
  cpSync(join(root, 'examples'), join(home, 'clone/examples'), { recursive: true })
  if (isSeveral) database = await openSeveral({ migrated: false })
  const { PATH = '', NODE_EXTRA_CA_CERTS } = process.env
  reader = createReader({
    home,
    env: {
      PATH: [programs, dirname(process.execPath), PATH].join(delimiter),
      ...(NODE_EXTRA_CA_CERTS ? { NODE_EXTRA_CA_CERTS } : {}),
      // Settings that are the same for a reader, but for the ports and what a test has no use for.
      ALOFT_PORT: String(ports[3000]),
      ALOFT_TLS_PORT: String(ports[3443]),
      ALOFT_DNS_PORT: String(ports[5300]),
      ALOFT_BASE_URL: `http://localhost:${ports[3000]}`,
      ALOFT_WORKERS: isSeveral ? '2' : '1',
      ...(database === undefined ? {} : { ALOFT_DATABASE_URL: database }),
      ALOFT_CHROMIUM: 'off',
      // Nobody else is asked about names: it answers for those that are bought here.
      ALOFT_RESOLVERS: `127.0.0.1:${ports[5300]}`,
      ALOFT_RATE_LIMIT: '10000',
    },
    spelling: new Map(Object.entries(ports).map(([from, to]) => [from, String(to)])),
  })
})

after(async () => {
  await reader?.leave()
  if (database !== undefined) await dropSeveral(database)
  await unpacked?.remove()
  await packed?.remove()
  rmSync(home, { recursive: true, force: true })
})

test('the guide leads from nothing to a domain with TLS', () => reader.follow('docs/guide.md'))

describe('pages work as they are written:', { concurrency: 2 }, () => {
  for (const page of [...PAGES, ...CLONE_PAGES])
    test(page, () =>
      reader.follow(page, {
        folder: CLONE_PAGES.includes(page) ? join(home, 'clone') : home,
        env: { ALOFT_TOKEN: readFileSync(join(home, 'aloft/token'), 'utf8').trim() },
      }),
    )
})

test('few blocks are not run, and each says why', () => {
  const blocks = ['docs/guide.md', ...PAGES, ...CLONE_PAGES].flatMap((page) => blocksOf(readPage(page)))
  const reasons = blocks.flatMap(({ notRun }) => notRun ?? [])
  assert.ok(reasons.length <= blocks.length / 5, `${reasons.length} of ${blocks.length} are not run`)
  assert.ok(reasons.every((reason) => reason.split(' ').length >= 4))
})

test('what a page shows is compared line by line, and … stands for anything', () => {
  const printed = 'NAME    TYPE\nAPI_KEY   encrypted  3s ago\nhttp://a-1.localhost\n'
  assert.equal(missingLine(['NAME TYPE', 'API_KEY encrypted …', 'http://….localhost'], printed), undefined)
  assert.equal(missingLine(['API_KEY plain …'], printed), 'API_KEY plain …')
  assert.equal(missingLine(['API_KEY …', 'NAME TYPE'], printed), 'NAME TYPE')
})
