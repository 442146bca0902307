import assert from 'node:assert/strict'
import { randomBytes, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { test } from 'node:test'
import { type ConnectionOptions, connect, createSecureContext, type TLSSocket } from 'node:tls'
import { ticketKeyOf } from '#src/process/tls/ticket-keys.ts'
import {
  mirror,
  parseResponses,
  rawExchange,
  readAll,
  run,
  silent,
  start,
  testAuthority,
} from '../../test/support/http/listener.ts'
import type { Credentials } from './listener-tls.ts'

const REQUEST = 'GET /a HTTP/1.1\r\nHost: a.localhost\r\nConnection: close\r\n\r\n'

type Options = ConnectionOptions & { readonly allowHalfOpen?: boolean; onTicket?(ticket: Buffer): void }

async function dial(port: number, { onTicket = () => {}, ...options }: Options = {}): Promise<TLSSocket> {
  const { certPem } = await testAuthority()
  const socket = connect({ host: '127.0.0.1', port, ca: certPem, ...options })
  socket.on('session', onTicket)
  await once(socket, 'secureConnect')
  return socket
}

async function credentials(...names: string[]): Promise<Credentials> {
  const { cert, key } = await (await testAuthority()).issuer.issue(names)
  return { cert, key, context: createSecureContext({ cert, key }) }
}

const subjects = (socket: TLSSocket) => socket.getPeerX509Certificate()?.subjectAltName

test('curl speaks HTTP/2, HTTP/1.1 and HTTP/1.0 over TLS, and trusts the certificate of a host', async (t) => {
  const { tlsPort } = await start(t, { tlsPort: 'any', handle: mirror })
  const { file } = await testAuthority()
  const url = `https://my-site.localhost:${tlsPort}/a?b`
  for (const [flag, httpVersion] of [
    ['--http2', '2.0'],
    ['--http1.1', '1.1'],
    ['--http1.0', '1.0'],
    ['--no-alpn', '1.1'],
  ] as const) {
    const { stdout, stderr } = await run('curl', ['-sS', flag, '--cacert', file, url])
    assert.equal(stderr, '')
    const host = `my-site.localhost:${tlsPort}`
    const authority = httpVersion === '2.0' ? { authority: host } : {}
    const seen = { httpVersion, method: 'GET', url: '/a?b', host, ...authority, encrypted: true }
    assert.deepEqual(JSON.parse(stdout), seen)
  }
})

test('a request to an address is covered by the default certificate', async (t) => {
  const { tlsPort } = await start(t, { tlsPort: 'any' })
  const { file } = await testAuthority()
  const { stdout, stderr } = await run('curl', ['-sS', '--cacert', file, `https://127.0.0.1:${tlsPort}/`])
  assert.deepEqual([stdout, stderr], ['ok', ''])
})

test('TLS 1.2 and 1.3 are spoken, 1.1 is refused', async (t) => {
  const { tlsPort } = await start(t, { tlsPort: 'any' })
  const { file } = await testAuthority()
  const client = (...args: string[]) =>
    run('openssl', ['s_client', '-connect', `127.0.0.1:${tlsPort}`, '-CAfile', file, ...args], 'Q\n')
  for (const [flag, name] of [
    ['-tls1_2', 'TLSv1.2'],
    ['-tls1_3', 'TLSv1.3'],
  ] as const) {
    const { code, stdout } = await client(flag)
    assert.equal(code, 0)
    assert.match(stdout, new RegExp(`New, ${name}`))
    assert.match(stdout, /Verify return code: 0 \(ok\)|Verification: OK/)
  }
  // Without this level OpenSSL would not even offer so old a version.
  const { code, stderr } = await client('-tls1_1', '-cipher', 'DEFAULT@SECLEVEL=0')
  assert.notEqual(code, 0)
  assert.match(stderr, /alert protocol version/)
})

test('AES with the shorter key is chosen over what a client names first', async (t) => {
  const { tlsPort } = await start(t, { tlsPort: 'any' })
  for (const [maxVersion, name] of [
    ['TLSv1.3', 'TLS_AES_128_GCM_SHA256'],
    ['TLSv1.2', 'ECDHE-ECDSA-AES128-GCM-SHA256'],
  ] as const) {
    const socket = await dial(tlsPort, { maxVersion })
    assert.equal(socket.getCipher().name, name)
    socket.destroy()
  }
})

test('the best protocol that both know is chosen; without any offer it is HTTP/1.x', async (t) => {
  const { tlsPort } = await start(t, { tlsPort: 'any', handle: mirror })
  for (const [offered, chosen] of [
    [['http/1.0', 'http/1.1', 'h2'], 'h2'],
    [['http/1.0', 'http/1.1'], 'http/1.1'],
    [['http/1.0'], 'http/1.0'],
    [undefined, false],
  ] as const) {
    const socket = await dial(tlsPort, offered ? { ALPNProtocols: [...offered] } : {})
    assert.equal(socket.alpnProtocol, chosen)
    if (chosen !== 'h2') {
      socket.write(REQUEST)
      assert.equal(parseResponses(await readAll(socket))[0]?.status, 200)
    }
    socket.destroy()
  }
  await assert.rejects(dial(tlsPort, { ALPNProtocols: ['smtp'] }), { code: /NO_APPLICATION_PROTOCOL/ })
})

test('the server name chooses the certificate; none, or one that is not ours, gets the default', async (t) => {
  const { tlsPort } = await start(t, { tlsPort: 'any' })
  const standard = 'DNS:localhost, DNS:api.localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1'
  for (const [servername, expected] of [
    ['site.localhost', 'DNS:site.localhost'],
    ['SITE.localhost', 'DNS:site.localhost'],
    ['app.scope.localhost', 'DNS:app.scope.localhost'],
    ['api.localhost', standard],
    ['example.org', standard],
    ['bad_label.localhost', standard],
    ['', standard],
  ] as const) {
    const socket = await dial(tlsPort, { servername, checkServerIdentity: () => undefined })
    assert.equal(subjects(socket), expected, servername)
    socket.destroy()
  }
})

test('when the certificate of a name cannot be had, the default one is served and the failure is logged', async (t) => {
  const standard = await credentials('standard.example')
  const logged: object[] = []
  const { tlsPort } = await start(t, {
    tlsPort: 'any',
    log: { ...silent, error: (fields) => logged.push(fields) },
    certificateFor: (name) => {
      if (name === 'reject.example') return Promise.reject(new Error('no'))
      if (name === 'throw.example') throw new Error('no')
      return standard
    },
  })
  for (const servername of ['reject.example', 'throw.example']) {
    const socket = await dial(tlsPort, { servername, checkServerIdentity: () => undefined })
    assert.equal(subjects(socket), 'DNS:standard.example')
    socket.destroy()
  }
  assert.equal(logged.length, 2)
})

test('a renewed default certificate is served to the next connection without a server name', async (t) => {
  let current = await credentials('standard.example')
  const { tlsPort } = await start(t, { tlsPort: 'any', certificateFor: () => current })
  const serial = async () => {
    const socket = await dial(tlsPort, { checkServerIdentity: () => undefined })
    const { serialNumber } = socket.getPeerX509Certificate() ?? {}
    socket.destroy()
    return serialNumber
  }
  assert.equal(await serial(), new X509Certificate(current.cert).serialNumber)
  current = await credentials('standard.example')
  assert.equal(await serial(), new X509Certificate(current.cert).serialNumber)
})

test('a session begun with one process is resumed by another that has the same ticket key, be it the one before', async (t) => {
  const own = ticketKeyOf(randomBytes(48))
  const other = ticketKeyOf(randomBytes(48))
  const ticketKeys = () => [own] as const
  const first = await start(t, { tlsPort: 'any', ticketKeys })
  // Node tells the sessions of programs apart by their arguments unless told otherwise.
  process.argv.push('another')
  t.after(() => process.argv.pop())
  const second = await start(t, { tlsPort: 'any', ticketKeys })
  const stranger = await start(t, { tlsPort: 'any', ticketKeys: () => [other] })
  const later = await start(t, { tlsPort: 'any', ticketKeys: () => [other, own] })
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    for (const servername of ['a.localhost', 'localhost']) {
      const options = { servername, maxVersion }
      const tickets: Buffer[] = []
      const socket = await dial(first.tlsPort, { ...options, onTicket: (ticket) => tickets.push(ticket) })
      socket.write(REQUEST)
      await readAll(socket)
      const session = tickets.at(-1)
      assert.ok(session)
      for (const [server, reused] of [
        [second, true],
        [stranger, false],
        // It has a newer key, and still knows the older one.
        [later, true],
      ] as const) {
        const resumed = await dial(server.tlsPort, { ...options, session })
        assert.equal(resumed.isSessionReused(), reused, `${maxVersion} ${servername}`)
        resumed.write(REQUEST)
        assert.equal(parseResponses(await readAll(resumed))[0]?.status, 200)
      }
    }
  }
})

test('a malformed request over TLS gets an answer, also when the peer has closed its side', async (t) => {
  const { tlsPort } = await start(t, { tlsPort: 'any' })
  for (const [bytes, half] of [
    ['NONSENSE\r\n\r\n', false],
    ['GET / HT', true],
  ] as const) {
    const socket = await dial(tlsPort, { allowHalfOpen: true })
    const all = readAll(socket)
    if (half) socket.end(bytes)
    else socket.write(bytes)
    socket.once('end', () => socket.end())
    assert.equal(parseResponses(await all)[0]?.status, 400)
  }
})

test('what is not TLS on the TLS port is cut, and the next connection is served', async (t) => {
  const { tlsPort } = await start(t, { tlsPort: 'any' })
  const { code } = await run('curl', ['-sS', `http://127.0.0.1:${tlsPort}/`])
  assert.notEqual(code, 0)
  const socket = await dial(tlsPort)
  socket.write(REQUEST)
  assert.equal(parseResponses(await readAll(socket))[0]?.status, 200)
})

test('a handshake that does not come to an end is cut', async (t) => {
  const { tlsPort } = await start(t, { tlsPort: 'any', limits: { handshakeMs: 100 } })
  assert.equal(await rawExchange(tlsPort, '\x16\x03\x01'), '')
})

test('headers that do not come in time over TLS are answered with a 408', async (t) => {
  const { tlsPort } = await start(t, { tlsPort: 'any', limits: { headersTimeoutMs: 100 } })
  const socket = await dial(tlsPort)
  socket.write('GET / HTTP/1.1\r\n')
  assert.equal(parseResponses(await readAll(socket))[0]?.status, 408)
})

test('an authority that looks for a challenge is shown it, and no HTTP is spoken then', async (t) => {
  const challenge = await credentials('challenge.test')
  const asked: string[] = []
  const { tlsPort } = await start(t, {
    tlsPort: 'any',
    async challengeFor(servername) {
      asked.push(servername)
      if (servername !== 'a.localhost') throw new Error('none')
      return challenge.context
    },
  })
  const acme = { servername: 'a.localhost', ALPNProtocols: ['acme-tls/1'], rejectUnauthorized: false }
  const socket = await dial(tlsPort, acme)
  assert.deepEqual([socket.alpnProtocol, subjects(socket)], ['acme-tls/1', 'DNS:challenge.test'])
  socket.write(REQUEST)
  assert.equal(await readAll(socket), '')

  for (const refused of [
    { ...acme, servername: 'b.localhost' },
    { ...acme, servername: '' },
    { ...acme, maxVersion: 'TLSv1.2' },
  ] as const)
    await assert.rejects(dial(tlsPort, refused), /socket|alert|hang up|ECONNRESET/i)
  assert.deepEqual(asked, ['a.localhost', 'b.localhost'])

  const visitor = await dial(tlsPort, { ...acme, ALPNProtocols: ['acme-tls/1', 'http/1.1'] })
  assert.deepEqual([visitor.alpnProtocol, subjects(visitor)], ['http/1.1', 'DNS:a.localhost'])
  visitor.destroy()
})
