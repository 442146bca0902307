import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createSecureContext } from 'node:tls'
import { createStaples, type Staples } from '#adapters/ocsp-http/staples.ts'
import { createOutbound } from '#adapters/outbound-http/outbound-http.ts'
import { type Ocsp, startOcsp } from '#test/support/tls/ocsp.ts'
import { clock, run, silent, start, testChooser } from '../../test/support/http/listener.ts'
import { type CertificateFor, TLS_CONTEXT } from './listener-tls.ts'

const outbound = createOutbound({ allows: () => true })
let ocsp: Ocsp
let certificateFor: CertificateFor
let staples: Staples
before(async () => {
  ocsp = await startOcsp()
  const { cert, key } = ocsp.leaf
  const stapled = { cert, key, context: createSecureContext({ ...TLS_CONTEXT, cert, key }) }
  const others = await testChooser()
  certificateFor = (name) => (name === 'stapled.localhost' ? stapled : others(name))
  staples = createStaples({ outbound, clock, log: silent })
})
after(async () => {
  outbound.close()
  await ocsp.close()
})

test('who connects gets the word of the authority as soon as there is one, whatever is spoken', async (t) => {
  const { tlsPort } = await start(t, { tlsPort: 'any', certificateFor, stapleFor: staples.find })
  const client = async (servername: string, ...args: string[]) => {
    const at = ['-connect', `127.0.0.1:${tlsPort}`, '-servername', servername, '-CAfile', ocsp.caFile]
    const { code, stdout } = await run('openssl', ['s_client', '-status', ...at, ...args], 'Q\n')
    assert.equal(code, 0)
    return stdout
  }
  assert.match(await client('stapled.localhost'), /OCSP response: no response sent/)
  await staples.settled()
  for (const version of ['-tls1_2', '-tls1_3']) {
    const output = await client('stapled.localhost', version)
    assert.match(output, /OCSP Response Status: successful \(0x0\)/)
    assert.match(output, /Cert Status: good/)
  }
  assert.match(await client('site.localhost'), /OCSP response: no response sent/)
  for (const version of ['--http1.1', '--http2']) {
    const { stdout, stderr } = await run('curl', [
      ...['-sS', version, '--cert-status', '--cacert', ocsp.caFile],
      ...['--connect-to', `::127.0.0.1:${tlsPort}`, `https://stapled.localhost:${tlsPort}/`],
    ])
    assert.deepEqual([stdout, stderr], ['ok', ''])
  }
  assert.equal(ocsp.asked.length, 1)
})

test('a handshake does without when the word cannot be had', async (t) => {
  const stapleFor = () => {
    throw new Error('broken')
  }
  const { tlsPort } = await start(t, { tlsPort: 'any', certificateFor, stapleFor })
  const at = ['-connect', `127.0.0.1:${tlsPort}`, '-servername', 'stapled.localhost']
  const { code, stdout } = await run('openssl', ['s_client', '-status', ...at], 'Q\n')
  assert.equal(code, 0)
  assert.match(stdout, /OCSP response: no response sent/)
})
