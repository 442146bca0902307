import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { describe, it } from 'node:test'
import { FETCHING, PYTHON } from '#test/support/app.ts'
import { deployed, type Files, visit } from '#test/support/deploying.ts'
import { install } from '#test/support/installation.ts'
import { isRoot, sandboxMissing } from '#test/support/sandbox/sandbox.ts'

const NOBODY = 65534
const ORDINARY = ['setpriv', '--reuid', `${NOBODY}`, '--regid', `${NOBODY}`, '--clear-groups', '--'] as const
/** On a machine where this program is not installed. */
const without = (file: string) =>
  ['unshare', '--mount', 'sh', '-c', `mount --bind /dev/null ${file} && exec "$@"`, 'sh'] as const

/** Those that take long are left to `npm run test:places`. */
const SITUATIONS = [
  {
    who: 'root of a strict umask, as a service has it,',
    way: 'bubblewrap',
    as: { before: ['sh', '-c', 'umask 077 && exec "$@"', 'sh'] as const, uid: 0 },
    skip: !isRoot && 'needs root',
  },
  {
    who: 'an ordinary user with bubblewrap',
    way: 'bubblewrap',
    as: isRoot && { before: ORDINARY, uid: NOBODY },
    isLong: isRoot,
  },
  {
    who: 'an ordinary user without bubblewrap',
    way: 'namespaces',
    as: isRoot && { before: [...without('/usr/bin/bwrap'), ...ORDINARY] as const, uid: NOBODY },
    skip: !isRoot && 'only root can hide bubblewrap from somebody',
  },
]

const FILES: Files = {
  'public/index.html': 'a page',
  'package.json': JSON.stringify({ private: true, dependencies: { 'is-number': '7.0.0' } }),
  'api/package.js': `const isNumber = require('is-number')
module.exports = (req, res) => res.json({ seven: isNumber(7), word: isNumber('word') })\n`,
  ...FETCHING,
  'api/private.js': `const net = require('node:net')
// Whoever decides for the sandbox may take a connection and break it off at once: what counts is an answer.
const tried = (host) => new Promise((resolve) => net.connect(Number(process.env.PORT_OF_PLATFORM), host)
  .on('connect', function () { this.write('GET / HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n') })
  .on('data', () => resolve('answered')).on('error', (error) => resolve(error.code)).on('close', () => resolve('ENDED')))
module.exports = async (req, res) => res.json(await Promise.all(process.env.HOSTS.split(' ').map(tried)))\n`,
  ...PYTHON,
}

/** The package registry that this machine is set up for. */
const registryOf = () =>
  execFileSync('npm', ['config', 'get', 'registry'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim()
const unreachable = process.cwd().startsWith('/root') && 'another user cannot reach this folder'

for (const { who, way, as, skip } of SITUATIONS.filter(
  ({ isLong }) => !isLong || process.env.ALOFT_TEST_LONG,
))
  describe(who, { skip: sandboxMissing || skip || unreachable }, () => {
    it('deploys a site with functions in Node and Python that use packages and the network', async (t) => {
      const REGISTRY = registryOf()
      const aloft = await install({
        ...(as && { as }),
        env: { npm_config_registry: REGISTRY, ALOFT_SANDBOX: 'required' },
      })
      t.after(() => aloft.remove())
      const headers = { authorization: `Bearer ${aloft.token}` }
      const status = await (await fetch(`${aloft.url}/v1/operator/status`, { headers })).json()
      assert.equal((status as { sandbox: { kind: string } }).sandbox.kind, way)

      const own = Object.values((await import('node:os')).networkInterfaces()).flatMap((all) =>
        (all ?? []).map(({ address }) => address),
      )
      const HOSTS = ['127.0.0.1', '169.254.169.254', ...own].join(' ')
      const bundle = '/etc/ssl/certs/ca-certificates.crt'
      const { url } = await deployed(aloft, {
        name: 'ordinary',
        files: FILES,
        env: {
          ...{ REGISTRY, HOSTS, PORT_OF_PLATFORM: String(aloft.port) },
          ...(existsSync(bundle) ? { SSL_CERT_FILE: bundle } : {}),
        },
      })
      const get = async (path: string) => {
        const { status: code, text } = await visit(aloft, url, { path })
        return `${code} ${text}`
      }
      assert.equal(await get('/'), '200 a page')
      assert.equal(await get('/api/package'), '200 {"seven":true,"word":false}')
      assert.equal(await get('/api/registry'), '200 {"status":200,"name":"is-number"}')
      assert.equal(await get('/api/snake'), '200 python 200')
      const outcomes = JSON.parse((await get('/api/private')).slice(4)) as readonly string[]
      for (const outcome of outcomes) assert.match(outcome, /^E/)
    })
  })
