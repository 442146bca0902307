import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type Answer, decode, encode } from 'dns-packet'
import { type Attacked, callApi, installAttacked, onlyShort, tried } from '#test/support/attacked.ts'
import { visit } from '#test/support/deploying.ts'
import type { Installation } from '#test/support/installation.ts'

const root = resolve(import.meta.dirname, '../..')
const DNS = '127.0.0.77'

/** Why no resolver of the test's own can be put in the place of the machine's, if so. */
const withoutMounts: string | false =
  (spawnSync('unshare', ['--mount', 'mount', '--bind', '/etc/hosts', '/etc/hosts']).status !== 0 ||
    process.getuid?.() !== 0) &&
  'only root may give a process a resolver of its own'

const own = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address

/** What the hostile name server says. A name that changes its mind is public first, and private from then on. */
const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  'loopback.hostile.test': ['127.0.0.1'],
  'zero.hostile.test': ['0.0.0.0'],
  'other-loopback.hostile.test': ['127.99.0.1'],
  'metadata.hostile.test': ['169.254.169.254'],
  'private.hostile.test': ['10.0.0.1'],
  'shared.hostile.test': ['100.64.0.1'],
  'mixed.hostile.test': ['127.0.0.1', '127.0.0.2'],
  'sixth.hostile.test': ['::1'],
  'mapped.hostile.test': ['::ffff:127.0.0.1'],
  'translated.hostile.test': ['64:ff9b::7f00:1'],
  ...(own === undefined ? {} : { 'machine.hostile.test': [own] }),
}
const FICKLE = 'fickle.hostile.test'
const NAMES = [...Object.keys(ADDRESSES), FICKLE]

async function startHostileDns() {
  const turns = new Map<string, number>()
  const socket = createSocket('udp4')
  socket.on('message', (packet, { port, address }) => {
    const { id = 0, questions = [] } = decode(packet)
    const [question] = questions
    if (!question) return
    const name = question.name.toLowerCase()
    const type = String(question.type)
    let all = ADDRESSES[name] ?? []
    if (name === FICKLE) {
      const turn = turns.get(type) ?? 0
      turns.set(type, turn + 1)
      all = turn === 0 ? ['192.0.2.1'] : ['127.0.0.1']
    }
    const wanted = all.filter((one) =>
      type === 'AAAA' ? one.includes(':') : type === 'A' && !one.includes(':'),
    )
    const answers = wanted.map((data) => ({ name, type, ttl: 0, data }) as Answer)
    socket.send(encode({ type: 'response', id, flags: 0x0180, questions, answers }), port, address)
  })
  socket.bind(53, DNS)
  await once(socket, 'listening')
  return { close: () => socket.close() }
}

describe('names that lead to private addresses', { skip: withoutMounts }, () => {
  let aloft: Attacked
  let close = async () => {}
  let dns: Awaited<ReturnType<typeof startHostileDns>>
  let folder = ''
  /** Who came, and how: nobody should. */
  const caught: string[] = []
  const trap = createServer((socket) => {
    socket.once('data', (bytes) => caught.push(bytes.toString('latin1').slice(0, 200)))
    socket.on('error', () => {}).end('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nsecret')
  })
  let port = 0

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aloft-rebinding-'))
    const resolv = join(folder, 'resolv.conf')
    await writeFile(resolv, `nameserver ${DNS}\noptions timeout:1 attempts:1\n`, { mode: 0o644 })
    dns = await startHostileDns()
    trap.listen(0, '::')
    await once(trap, 'listening')
    port = (trap.address() as AddressInfo).port
    const installed = await installAttacked({
      program: [
        'unshare',
        '--mount',
        '/bin/sh',
        '-c',
        'mount --bind "$0" /etc/resolv.conf && exec "$@"',
        resolv,
        process.execPath,
        join(root, 'src/main.ts'),
      ],
      env: { ALOFT_RESOLVERS: `${DNS}:53` },
    })
    aloft = installed.aloft
    close = installed.close
  })
  after(async () => {
    await close()
    dns?.close()
    trap.close()
    await rm(folder, { recursive: true, force: true })
  })

  const targets = () => NAMES.map((name) => `http://${name}:${port}/`)
  const call = (on: string, body?: unknown) => callApi(aloft, on, body)

  test('no webhook and no webhook of an application is delivered to them', async (t) => {
    const webhooks = await Promise.all(
      targets().map((url) => call('POST /v1/webhooks', { url, events: ['project.created'] })),
    )
    for (const url of targets())
      await call('POST /v1/integrations/applications', {
        name: 'An application',
        redirectUrl: url,
        webhookUrl: url,
        scopes: {},
      })
    await call('POST /v10/projects', { name: 'rebound' })
    for (const { body } of webhooks)
      for (;;) {
        const { body: list } = await call(`GET /v1/webhooks/${body.id}/deliveries`)
        const [delivery] = list.deliveries
        const full = delivery && (await call(`GET /v1/webhooks/${body.id}/deliveries/${delivery.id}`)).body
        if (full?.attempts?.length > 0) {
          // Not for want of an answer: the names were looked up, and what they lead to was refused.
          if (!body.url.includes(FICKLE)) assert.match(full.attempts[0].answer, /public internet/, body.url)
          break
        }
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    assert.deepEqual(caught, [])
    tried(t, NAMES.length * 2)
  })

  test('no log drain is verified with them', async (t) => {
    for (const url of targets()) {
      const { status } = await call('POST /v1/log-drains', { name: 'x', url, deliveryFormat: 'json' })
      assert.equal(status, 400, url)
    }
    assert.deepEqual(caught, [])
    tried(t, NAMES.length)
  })

  test('no rewrite is sent on to them', async (t) => {
    const { body } = await call('POST /v8/platform/deployments', {
      version: 2,
      name: 'rewrites',
      files: [{ file: 'index.html', data: 'x' }],
      routes: targets().map((dest, n) => ({ src: `/to-${n}`, dest })),
    })
    for (const [n, name] of NAMES.entries())
      for (let turn = 0; turn < 3; turn++) {
        const answer = await visit(aloft as unknown as Installation, body.url, { path: `/to-${n}` })
        assert.ok(answer.status >= 500, `${name} ${answer.status}`)
        assert.doesNotMatch(answer.text, /secret/, name)
      }
    assert.deepEqual(caught, [])
    tried(t, NAMES.length * 3)
  })

  test('checks of domains ask no name server there', async (t) => {
    const heard: unknown[] = []
    const listener = createSocket('udp4').on('message', () => heard.push(1))
    listener.bind(53, '127.99.0.1')
    await once(listener, 'listening')
    t.after(() => listener.close())
    for (const name of ['a.hostile.test', 'b.hostile.test']) {
      await call('POST /v4/domains', { name })
      await call(`POST /v4/domains/${name}/verify`, {})
      await call(`GET /v1/domains/${name}/inspect`)
    }
    assert.deepEqual(heard, [])
    tried(t, 4)
  })

  test('no function and no build reaches them', { skip: onlyShort }, async (t) => {
    const script = `const urls = ${JSON.stringify(targets())}
const reach = async () => {
  const seen = []
  for (const url of [...urls, ...urls])
    await fetch(url, { signal: AbortSignal.timeout(2000) }).then((r) => r.text()).then((text) => seen.push(url + ' ' + text), () => {})
  return seen
}`
    const { body } = await call('POST /v8/platform/deployments', {
      version: 2,
      name: 'reaching',
      files: [
        { file: 'package.json', data: JSON.stringify({ scripts: { build: 'node build.js' } }) },
        {
          file: 'build.js',
          data: `${script}\nreach().then((seen) => { const fs = require('fs'); fs.mkdirSync('public', { recursive: true }); fs.writeFileSync('public/seen.json', JSON.stringify(seen)) })`,
        },
        {
          file: 'api/reach.js',
          data: `${script}\nmodule.exports = async (req, res) => res.end(JSON.stringify(await reach()))`,
        },
      ],
    })
    const log = await call(`GET /v2/platform/deployments/${body.id}/events?follow=1&builds=1`)
    const ask = async (path: string) =>
      (await visit(aloft as unknown as Installation, body.url, { path })).text
    assert.equal(await ask('/seen.json'), '[]', JSON.stringify(log.body).slice(-2000))
    assert.equal(await ask('/api/reach'), '[]')
    assert.deepEqual(caught, [])
    tried(t, NAMES.length * 4)
  })
})

/** Who opens connections, and why that needs no look at the address: everybody else has to go through `Outbound`. */
const CONNECTS: Readonly<Record<string, string>> = {
  'outbound-http.ts': 'looks at the address when it connects',
  'upstream-connection.ts': 'looks at the address when it connects',
  'gateway.ts': 'looks at the address when it connects',
  'connections.ts': 'looks at the address when it connects',
  'delegation.ts': 'asked only for addresses that were looked at',
  'name-server.ts': 'the resolvers of the machine',
  'namecom-client.ts': 'an address that the operator has set',
  'acme-library.ts': 'an address that the operator has set',
  'fetch-package.ts': 'the package registry that the operator has set',
  'engine-http.ts': 'the engine that the operator has set',
  'socket-bridge.ts': 'a socket of the platform',
  'upstream-pool.ts': 'a socket of the platform',
  'previews.ts': 'a socket of the platform',
  'supervisor.ts': 'a port of the platform',
  'listen-sockets.ts': 'binds sockets that listen',
  'proxy.ts': 'looks at the address when it connects',
  'launch.ts': 'a socket of the platform',
  'live-instance.ts': 'a socket of the platform',
  'places.ts': 'a socket of the platform',
  'runner-client.ts': 'a socket of the platform',
  'socket-file.ts': 'a socket of the platform',
  'platform-services.ts': 'answers names for containers; connections go through what looks at addresses',
  'container-launch.ts': 'a socket of the platform',
  'own-containers.ts': 'a container of this installation',
  'image-registry.ts': 'another machine of this installation',
  'own-visits.ts': 'a port of the platform',
  'forward-agent.ts': 'a socket of the platform',
  'forward-api.ts': 'a socket of the platform',
  'source.ts': 'only names what fetches; `git-remotes.ts` does it',
  'git-remotes.ts': 'looks at the address and has git connect to no other',
  'peer-connections.ts': 'machines of the cluster, over TLS that both sides prove',
  'peer-gateway.ts': 'a socket of the platform',
  'sharp-images.ts': 'a socket of the platform',
  's3-client.ts': 'an address that the operator has set',
}

test('nobody opens a connection whom this list does not know', (t) => {
  const opens =
    /import (?:\{[^}]*\b(?:connect|createConnection|request|get|Agent)\b[^}]*\}|\w+|\* as \w+) from 'node:(?:net|tls|http|https|http2)'|(?<![.\w#])fetch\(|createSocket\b/
  const found = globSync('src/{adapters,builder,core,edge,http,listener,process,dns}/**/*.ts', { cwd: root })
    .filter((file) => !/\.test\.ts$|-testing\.ts$|\/dev\//.test(file))
    .filter((file) => opens.test(readFileSync(join(root, file), 'utf8')))
  const unknown = found.filter((file) => !(basename(file) in CONNECTS) && file !== 'src/dns/udp.ts')
  assert.deepEqual(unknown, [])
  tried(t, found.length)
})
