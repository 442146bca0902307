import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { before, describe, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { type Attacked, callApi, tried, useAttacked } from '#test/support/attacked.ts'

/** Everything that comes back for these bytes until the peer is done. */
function exchange({ port, tlsPort }: Attacked, bytes: string, secure: boolean): Promise<string> {
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] }
    const socket: Socket = secure
      ? connectTls({ ...options, port: tlsPort, servername: 'localhost' })
      : connect({ ...options, port })
    let said = ''
    socket.setEncoding('latin1').on('data', (text) => {
      said += text
    })
    socket.setTimeout(2000, () => socket.destroy())
    socket.on('error', () => {}).on('close', () => resolve(said))
    socket.write(bytes, 'latin1')
    // Over TLS, an end in one direction is one of both.
    if (!secure) socket.end()
  })
}

const answersIn = (text: string): number => text.split(/HTTP\/1\.1 \d{3} /).length - 1

const SECOND = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Smuggled: yes\r\nConnection: close\r\n\r\n'

/** Requests whose length two servers may read differently: the part after it must never be taken for a request. */
const SMUGGLING: Readonly<Record<string, string>> = {
  'length and chunks': `POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SECOND}`,
  'chunks and length': `POST /login HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n0\r\n\r\n${SECOND}`,
  'two lengths': `POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nContent-Length: 99\r\n\r\n${SECOND}`,
  'a list of lengths': `POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0, 99\r\n\r\n${SECOND}`,
  'a signed length': `POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: +0\r\n\r\n${SECOND}`,
  'a length in hexadecimal': `POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0x0\r\n\r\n${SECOND}`,
  'another coding': `POST /login HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: xchunked\r\n\r\n${SECOND}`,
  'chunked twice': `POST /login HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n${SECOND}`,
  'chunked not last': `POST /login HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${SECOND}`,
  'a space before the colon': `POST /login HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n${SECOND}`,
  'a folded line': `POST /login HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n${SECOND}`,
  'a bare line feed': `POST /login HTTP/1.1\nHost: localhost\nContent-Length: 0\n\n${SECOND}`,
  'a bare carriage return': `POST /login HTTP/1.1\r\nHost: localhost\r\nX: a\rContent-Length: 0\r\n\r\n${SECOND}`,
  'a chunk of a negative size': `POST /login HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n\r\n${SECOND}`,
  'a chunk that is too large': `POST /login HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n\r\n${SECOND}`,
  'a chunk with something after it': `POST /login HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxx\r\n0\r\n\r\n${SECOND}`,
}

/** Ways to be taken for the API, or for somebody else's site. */
const HOSTS: readonly string[] = [
  'Host: localhost\r\nHost: victim.localhost',
  'Host: localhost, victim.localhost',
  'Host: localhost@victim.localhost',
  'Host: victim.localhost\r\n Host: localhost',
  'Host: localhost/..',
  'Host: localhost\\x',
  'Host: local host',
  'Host: [::1',
  'Host: localhost:99999999',
  'Host: localhost:80:80',
  'Host:',
  'Host: localhost\u0000.victim.localhost',
  'Host: localhost#victim',
  'Host: localhost?victim',
  'Host: %6cocalhost',
]

describe('HTTP of a running installation', () => {
  const attacked = useAttacked()
  for (const secure of [false, true])
    describe(secure ? 'over TLS' : 'in the clear', () => {
      test('no request is hidden in another', async (t) => {
        for (const [what, bytes] of Object.entries(SMUGGLING)) {
          const said = await exchange(attacked(), bytes, secure)
          assert.ok(answersIn(said) <= 1, `${what}: ${said.slice(0, 300)}`)
          assert.match(said, /^(HTTP\/1\.1 (400|413|417|501) |$)/, `${what}: ${said.slice(0, 100)}`)
        }
        tried(t, Object.keys(SMUGGLING).length)
      })

      test('a host that can be read in two ways is refused', async (t) => {
        for (const line of HOSTS) {
          const said = await exchange(
            attacked(),
            `GET /v2/user HTTP/1.1\r\n${line}\r\nConnection: close\r\n\r\n`,
            secure,
          )
          assert.match(said, /^HTTP\/1\.1 (4\d\d) /, `${JSON.stringify(line)}: ${said.slice(0, 80)}`)
          assert.doesNotMatch(said, /"user"/)
        }
        tried(t, HOSTS.length)
      })

      test('what a request says of itself is believed by nobody', async (t) => {
        const lies = [
          'X-Forwarded-Host: localhost',
          'X-Forwarded-For: 127.0.0.1',
          'X-Original-URL: /v2/user',
          'X-Rewrite-URL: /v2/user',
          'Forwarded: host=localhost;for=127.0.0.1',
          'X-HTTP-Method-Override: DELETE',
          'X-Real-IP: 127.0.0.1',
          'Authorization: Bearer null',
          'Authorization: Bearer undefined',
          'Cookie: aloft_session=',
          'X-Middleware-Subrequest: middleware:middleware:middleware:middleware:middleware',
        ]
        for (const line of lies) {
          const said = await exchange(
            attacked(),
            `GET /v2/user HTTP/1.1\r\nHost: localhost\r\n${line}\r\nConnection: close\r\n\r\n`,
            secure,
          )
          assert.match(said, /^HTTP\/1\.1 40[13] /, `${line}: ${said.slice(0, 80)}`)
        }
        tried(t, lies.length)
      })
    })

  describe('files of a site', () => {
    let host = ''
    before(async () => {
      const { body } = await callApi(attacked(), 'POST /v8/platform/deployments', {
        version: 2,
        name: 'paths',
        files: [
          { file: 'index.html', data: 'front' },
          { file: 'inner/page.html', data: 'inner' },
        ],
      })
      host = body.url
    })

    test('no path leaves them', async (t) => {
      const paths = [
        '/../../etc/passwd',
        '/..%2f..%2fetc/passwd',
        '/%2e%2e/%2e%2e/etc/passwd',
        '/inner/..%5c..%5cetc/passwd',
        '/inner/....//....//etc/passwd',
        '/inner/%00/../../etc/passwd',
        '//etc/passwd',
        '/inner/%252e%252e/%252e%252e/etc/passwd',
        '/%c0%ae%c0%ae/etc/passwd',
        '/file:///etc/passwd',
        'http://169.254.169.254/latest/meta-data/',
        '/inner;/../../etc/passwd',
      ]
      for (const path of paths) {
        const said = await exchange(
          attacked(),
          `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
          false,
        )
        assert.doesNotMatch(said, /root:|meta-data\b.*ami/, path)
        assert.match(said, /^HTTP\/1\.1 (200|3\d\d|4\d\d) /, path)
      }
      tried(t, paths.length)
    })
  })
})
