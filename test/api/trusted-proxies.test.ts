import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiSuite } from '#test/support/api-suite.ts'
import { createBrowser, hiddenIn } from '#test/support/browser/browser.ts'

const OF = (address: string) => ({ 'x-forwarded-for': `6.6.6.6, ${address}` })

apiSuite(
  'the API behind a proxy',
  (server) => {
    test('strangers are counted by the address that the proxy tells', async () => {
      const ask = (headers: Record<string, string>) => server.call('GET /teams', { headers })
      for (let i = 0; i < 5; i++) assert.equal((await ask(OF('203.0.113.1'))).status, 403)
      assert.equal((await ask(OF('203.0.113.1'))).status, 429)
      assert.equal((await ask({ 'x-forwarded-for': '203.0.113.2, 203.0.113.1' })).status, 429)
      assert.equal((await ask(OF('203.0.113.2'))).status, 403)
      assert.equal((await ask({})).status, 403)
    })

    test('the audit log names it', async () => {
      const { token } = await server.signUp()
      const headers = OF('203.0.113.3')
      const made = await server.call('POST /v1/projects', { token, headers, body: { name: 'audited' } })
      assert.equal(made.status, 200)
      const { body } = await server.call('GET /v1/audit-log', { token })
      assert.deepEqual(
        body.entries.map(({ ip }: { ip: string }) => ip),
        ['203.0.113.3'],
      )
    })

    test('cookies are for TLS alone where the browser spoke it', async () => {
      const browser = createBrowser(server)
      const form = await browser.call('GET /login')
      const cookies = async (proto: string) => {
        const body = new URLSearchParams({ email: 'who@aloft.test', ...hiddenIn(form.body) }).toString()
        const type = 'application/x-www-form-urlencoded'
        const headers = { ...OF('203.0.113.4'), 'x-forwarded-proto': proto, 'content-type': type }
        return (await server.call('POST /login', { headers, body })).headers.getSetCookie().join()
      }
      assert.match(await cookies('https'), /; Secure/)
      assert.doesNotMatch(await cookies('http'), /; Secure/)
    })
  },
  { env: { ALOFT_RATE_LIMIT: '5', ALOFT_TRUSTED_PROXIES: '127.0.0.1' } },
)
