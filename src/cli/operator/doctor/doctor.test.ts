import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import { getStatus } from '#contract/api/operator.ts'
import { startMachine, TOKEN } from '../../cli-testing.ts'
import type { Status } from '../status.ts'

const SANDBOX: Status['sandbox'] = {
  ...{ mode: 'auto', kind: 'bubblewrap', missing: [], advice: null },
  inForce: [['network', 'through the platform']],
}

const status = (change: Partial<Status>): Status => ({
  ...{ version: '1', node: '24', time: Date.now(), startedAt: 1, origin: 'iad1' },
  ...{ baseUrl: 'http://127.0.0.1:1', domain: 'localhost', addresses: ['127.0.0.1'], nameservers: [] },
  ports: { http: 3000, tls: 0, dns: 0 },
  database: { kind: 'sqlite', bytes: 1, schema: '0001' },
  logs: { bytes: 1, recording: true, damaged: [] },
  ...{
    blobs: { bytes: 1, damaged: 0, toMove: 0 },
    disk: { free: 1, total: 2 },
    memory: { free: 1, total: 2 },
  },
  processes: [{ name: 'serve-1', role: 'serve', pid: 1, startedAt: 1, restarts: 0, hangs: 0, memory: null }],
  certificates: { authority: 'local', expiring: 0 },
  ...{ mail: 'outbox', exposed: [], runtime: 'process', sandbox: SANDBOX },
  programs: { git: '2.47.3', ssh: true },
  queue: { queued: 0, running: 0, failed: 0 },
  lateJobs: [],
  checks: [{ name: 'disk', ok: false, message: 'almost full', hint: 'Remove old deployments.' }],
  ...change,
})

const examined = async (change: Partial<Status>, ...options: string[]) => {
  await using machine = await startMachine(answers(getStatus, () => status(change)))
  return await machine.run(['operator', 'doctor', ...options], { ALOFT_TOKEN: TOKEN })
}

test('what fails is told with what to do about it, and the exit code is 1', async () => {
  const { code, stdout, stderr } = await examined({ time: Date.now() - 3_600_000 })
  assert.equal(code, 1)
  assert.match(stdout, /^FAIL disk +almost full\n +→ Remove old deployments\.$/m)
  assert.match(stdout, /^FAIL clock .*3\d{3} seconds apart/m)
  assert.match(stdout, /^FAIL base URL .*cannot be reached from here/m)
  assert.match(stdout, /^ok +TLS +off/m)
  assert.match(stderr, /3 of 6 checks failed/)
  assert.doesNotMatch(stderr, /Could not/, 'it was examined, and is not well')
})

test('programs get every check as data', async () => {
  const { code, stdout } = await examined({ checks: [] }, '--json')
  const { ok, checks } = JSON.parse(stdout)
  assert.deepEqual([code, ok], [1, false])
  assert.deepEqual(
    checks.filter((check: { ok: boolean }) => !check.ok).map(({ name }: { name: string }) => name),
    ['base URL'],
  )
})

test('ports at which nobody answers are told', async () => {
  const ports = { http: 3000, tls: 1, dns: 1 }
  const { stdout } = await examined({ ports, domain: 'apps.invalid' })
  assert.match(stdout, /^FAIL TLS +no handshake with 127\.0\.0\.1:1: ECONNREFUSED/m)
  assert.match(stdout, /^FAIL DNS server/m)
  assert.match(stdout, /^FAIL wildcard DNS +\*\.apps\.invalid does not resolve/m)
})
