import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type Attacked, callApi, onlyShort, signUp, tried, useAttacked } from '#test/support/attacked.ts'
import { visit } from '#test/support/deploying.ts'
import type { Installation } from '#test/support/installation.ts'
import { rootMissing } from '#test/support/sandbox/sandbox.ts'

const own = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address

describe('npm install of a stranger', { skip: rootMissing || onlyShort }, () => {
  const attacked = useAttacked()
  const caught: string[] = []
  const trap = createServer((socket) => {
    caught.push(String(socket.localAddress))
    socket.on('error', () => {}).destroy()
  })
  let port = 0
  let stranger: Attacked
  let neighbour: Attacked
  before(async () => {
    trap.listen(0, '::')
    await once(trap, 'listening')
    port = (trap.address() as AddressInfo).port
    const run = randomBytes(4).toString('hex')
    stranger = await signUp(attacked(), `installer-${run}@aloft.test`)
    neighbour = await signUp(attacked(), `neighbour-${run}@aloft.test`)
  })
  after(() => trap.close())

  const build = async (by: Attacked, name: string, files: Record<string, string>) => {
    const { status, body } = await callApi(by, 'POST /v8/platform/deployments', {
      version: 2,
      name,
      files: Object.entries(files).map(([file, data]) => ({ file, data })),
    })
    assert.equal(status, 200, JSON.stringify(body))
    const log = await callApi(by, `GET /v2/platform/deployments/${body.id}/events?follow=1&builds=1`)
    const { body: done } = await callApi(by, `GET /v8/platform/deployments/${body.id}`)
    const text = typeof log.body === 'string' ? log.body : JSON.stringify(log.body)
    return { state: done.readyState as string, log: text, url: body.url as string }
  }

  test('fetches nothing from private addresses, whatever its dependencies are', async (t) => {
    const hosts = ['127.0.0.1', 'localhost', '[::1]', '0.0.0.0', ...(own === undefined ? [] : [own])]
    const specs = hosts.flatMap((host) => [
      `http://${host}:${port}/x.tgz`,
      `git+http://${host}:${port}/x.git`,
      `git://${host}:${port}/x.git`,
    ])
    // All in one build, beside one another.
    const tries = specs.map(
      (spec, n) =>
        `npm install --no-save --fetch-retries=0 --fetch-timeout=3000 --prefix /tmp/${n} '${spec}' &`,
    )
    const { log } = await build(stranger, 'fetching', {
      'package.json': JSON.stringify({
        scripts: { build: 'sh tries.sh; mkdir -p public; echo done > public/index.html' },
      }),
      'tries.sh': [
        ...tries,
        `npm ping --registry=http://127.0.0.1:${port}/ --fetch-retries=0`,
        `git clone http://169.254.169.254/latest x`,
        `git clone ext::'sh -c touch% /tmp/x' y`,
        `git clone file:///etc z`,
        'wait',
      ].join('\n'),
    })
    assert.deepEqual(caught, [], log.slice(-2000))
    assert.match(log, /npm error|fatal/)
    tried(t, tries.length + 4)
  })

  test('a registry of its own choice is not at a private address either', async () => {
    const { state } = await build(stranger, 'registry', {
      'package.json': JSON.stringify({
        dependencies: { isarray: '2.0.5' },
        scripts: { build: 'mkdir public' },
      }),
      '.npmrc': `registry=http://127.0.0.1:${port}/\nfetch-retries=0\n`,
    })
    assert.equal(state, 'ERROR')
    assert.deepEqual(caught, [])
  })

  test('its scripts find nothing of the platform, and leave nothing for others', async (t) => {
    const { folder } = attacked()
    const script = `const fs = require('fs'), path = require('path')
const could = []
const attempt = (what, act) => { try { if (act() !== false) could.push(what) } catch {} }
for (const file of ['master.key', 'aloft.db', 'outbox', 'toolchains', 'builds', '.'])
  attempt('reads ' + file, () => fs.readdirSync(path.join(${JSON.stringify(join(folder, 'data'))}, file)) && true)
for (const file of ['/opt/node/bin/node', '/opt/node/evil', '/usr/bin/evil', '/etc/evil'])
  attempt('writes ' + file, () => fs.writeFileSync(file, 'evil', { flag: 'a' }))
for (const name of Object.keys(process.env))
  if (/ALOFT|MASTER|DATABASE|REDIS|SMTP/.test(name)) could.push('sees ' + name)
const caches = [process.env.npm_config_cache, process.env.XDG_CACHE_HOME, process.env.HOME, '/tmp', process.env.TMPDIR].filter(Boolean)
for (const cache of caches) attempt('', () => { fs.mkdirSync(cache + '/poison', { recursive: true }); fs.writeFileSync(cache + '/poison/marker', 'evil'); return false })
fs.mkdirSync('public', { recursive: true })
fs.writeFileSync('public/could.json', JSON.stringify(could))
fs.writeFileSync('public/caches.json', JSON.stringify(caches))`
    const poisoned = await build(stranger, 'poison', {
      'package.json': JSON.stringify({ scripts: { preinstall: 'node evil.js', build: 'node evil.js' } }),
      'evil.js': script,
    })
    assert.equal(poisoned.state, 'READY', poisoned.log.slice(-2000))
    const ask = async (url: string, path: string) =>
      (await visit(attacked() as unknown as Installation, url, { path })).text
    assert.deepEqual(JSON.parse(await ask(poisoned.url, '/could.json')), [])
    const caches = JSON.parse(await ask(poisoned.url, '/caches.json')) as string[]
    const looking = await build(neighbour, 'looking', {
      'package.json': JSON.stringify({ scripts: { build: 'node look.js' } }),
      'look.js': `const fs = require('fs')
fs.mkdirSync('public', { recursive: true })
const found = ${JSON.stringify([...new Set(caches)])}.filter((folder) => fs.existsSync(folder + '/poison/marker'))
fs.writeFileSync('public/found.json', JSON.stringify(found))`,
    })
    assert.equal(looking.state, 'READY', looking.log.slice(-2000))
    assert.deepEqual(JSON.parse(await ask(looking.url, '/found.json')), [])
    tried(t, 10 + caches.length)
  })
})
