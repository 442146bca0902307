import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import {
  deleteCertificate,
  getCertificate,
  issueCertificate,
  listCertificates,
  uploadCertificate,
} from '#contract/api/certificate.ts'
import { AloftError } from '#contract/errors.ts'
import { DAY } from '#contract/time.ts'
import { startMachine, TOKEN } from '../cli-testing.ts'

const env = { ALOFT_TOKEN: TOKEN }
const cert = {
  uid: 'cert_1',
  cns: ['example.com', 'www.example.com'],
  created: new Date(Date.now() - DAY).toISOString(),
  expiration: new Date(Date.now() + 60 * DAY).toISOString(),
  autoRenew: true,
}

const machine = await startMachine(
  answers(listCertificates, () => ({ certs: [cert], pagination: { count: 1, next: null, prev: null } })),
  answers(getCertificate, ({ params }) => {
    if (params.id !== 'cert_1') throw new AloftError('cert_not_found', 'There is no such certificate.')
    return cert
  }),
  answers(issueCertificate, ({ body }) => {
    if (body.domains.includes('other.com')) throw new AloftError('domain_not_verified', 'It is not verified.')
    return { uid: 'cert_1', created_at: cert.created }
  }),
  answers(uploadCertificate, () => ({ uid: cert.uid, created_at: cert.created })),
  answers(deleteCertificate, () => undefined),
)
after(() => machine[Symbol.asyncDispose]())
const aloft = (...line: readonly string[]) => machine.run(['certs', ...line], env)

test('ls shows names and when they lapse', async () => {
  const { stdout } = await aloft('ls')
  assert.match(stdout, /^cert_1 +example\.com, www\.example\.com +in 60d +automatic +1d ago$/m)
})

test('issue takes many names and prints the id', async () => {
  const { stdout, stderr } = await aloft('issue', 'example.com', 'www.example.com', '--renew')
  assert.equal(stdout, 'cert_1\n')
  assert.match(stderr, /^Requesting a certificate for example\.com, www\.example\.com…\nThe certificate for/)
  assert.deepEqual(machine.api.requests.at(-1)?.body, {
    domains: ['example.com', 'www.example.com'],
    renew: true,
  })
  assert.match((await aloft('issue', 'other.com')).stderr, /hint: Verify the domain first/)
  assert.equal((await aloft('issue')).code, 2)
})

test('add reads PEM files from the folder, and refuses what is none before it is sent', async () => {
  const pem = (what: string) => `-----BEGIN ${what}-----\nabc\n-----END ${what}-----\n`
  for (const file of ['cert', 'key', 'ca']) writeFileSync(join(machine.home, `${file}.pem`), pem(file))
  writeFileSync(join(machine.home, 'readme'), 'no certificate')
  const { code, stdout } = await aloft('add', 'cert.pem', 'key.pem', 'ca.pem', '--json')
  assert.equal(code, 0)
  assert.deepEqual(machine.api.requests.at(-1)?.body, { cert: pem('cert'), key: pem('key'), ca: pem('ca') })
  assert.deepEqual(JSON.parse(stdout), { uid: cert.uid, created_at: cert.created })
  const count = machine.api.requests.length
  assert.match((await aloft('add', 'cert.pem', 'readme', 'ca.pem')).stderr, /readme is not a PEM file/)
  assert.match((await aloft('add', 'cert.pem', 'none.pem', 'ca.pem')).stderr, /none\.pem cannot be read/)
  assert.equal(machine.api.requests.length, count)
})

test('rm asks first, by the names that it is for', async () => {
  assert.equal((await aloft('rm', 'cert_1')).code, 2)
  const { stdout } = await aloft('rm', 'cert_1', '--yes')
  assert.equal(stdout, 'Deleted the certificate for example.com, www.example.com.\n')
  const unknown = await aloft('rm', 'cert_2', '--yes')
  assert.equal(unknown.code, 4)
  assert.match(unknown.stderr, /aloft certs ls/)
})

test('renew asks for a new one of the same names', async () => {
  const { stdout, stderr } = await aloft('renew', 'cert_1')
  assert.equal(stdout, 'cert_1\n')
  assert.match(stderr, /^Renewing the certificate for example\.com, www\.example\.com…\n/)
  assert.deepEqual(machine.api.requests.at(-1)?.body, { domains: cert.cns, renew: true })
  assert.equal((await aloft('renew', 'cert_9')).code, 4)
})
