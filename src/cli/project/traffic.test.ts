import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import { readAnalytics } from '#contract/api/analytics.ts'
import { type ProjectLogEntry, readProjectLogs } from '#contract/api/project-log.ts'
import { startMachine, TOKEN } from '../cli-testing.ts'

const env = { ALOFT_TOKEN: TOKEN }
const common = { deploymentId: 'dpl_1', source: 'function', entrypoint: 'api/x', region: 'local' } as const
const line = (n: number, type: 'stdout' | 'stderr', text: string): ProjectLogEntry => ({
  ...{ ...common, id: `e${n}`, serial: String(n), at: n, type, text, requestId: 'r1' },
  level: type === 'stderr' ? 'error' : 'info',
})
const visit: ProjectLogEntry = {
  ...{ ...common, id: 'e9', serial: '9', at: 1, type: 'request', level: 'error', requestId: 'r1' },
  ...{ text: 'GET /api/x 500 7 ms', ms: 7, method: 'GET', host: 'shop.localhost', path: '/api/x' },
  ...{ status: 500, bytes: 2, userAgent: '', ip: '', coldStart: false },
}
/** The newest first, as the API answers. */
const entries = [visit, line(3, 'stderr', 'it broke'), line(2, 'stdout', 'began')]

const traffic = (requests: number) => ({
  ...{ requests, bytes: 2048, coldStarts: 1, p50: 3.2, p95: 40, p99: 1200.4 },
  status: { '2xx': requests - 1, '3xx': 0, '4xx': 0, '5xx': 1 },
})
const analytics = {
  ...{ from: 1_700_000_000_000, to: 1_700_086_400_000, step: 3_600_000, points: [] },
  totals: traffic(12_345),
  topPaths: [{ path: '/api/x', requests: 1200, errors: 1, p95: 41, bytes: 1024 }],
}

const machine = await startMachine(
  answers(readProjectLogs, ({ params }) => ({
    type: 'application/json',
    body: JSON.stringify({
      entries: params.idOrName === 'quiet' ? [] : entries,
      pagination: { count: 3, next: null },
    }),
  })),
  answers(readAnalytics, () => analytics),
)
after(() => machine[Symbol.asyncDispose]())
const aloft = (...words: readonly string[]) => machine.run(['projects', ...words], env)

test('the log of a project is a line for each request, with what was written during it below', async () => {
  const { stdout, code } = await aloft('logs', 'shop', '--target', 'production', '--status', '5xx')
  assert.equal(code, 0)
  assert.deepEqual(
    stdout
      .trimEnd()
      .split('\n')
      .map((each) => each.slice(25)),
    ['GET /api/x 500 7 ms', '  │ began', '  │ stderr it broke'],
  )
  const seen = machine.api.requests.at(-1)
  assert.deepEqual(
    [seen?.params.idOrName, seen?.query],
    ['shop', { limit: '100', target: 'production', status: '5xx' }],
  )
  assert.deepEqual(JSON.parse((await aloft('logs', 'shop', '--json')).stdout), entries.toReversed())
  assert.match((await aloft('logs', 'quiet')).stderr, /No log entries match/)
  assert.equal((await aloft('logs', 'shop', '-f', '--until', '1h')).code, 2)
})

test('analytics are totals and the most requested paths', async () => {
  const { stdout } = await aloft('analytics', 'shop', '--target', 'preview', '--since', '1700000000000')
  assert.match(stdout, /^requests +12,345$/m)
  assert.match(stdout, /^5xx +1$/m)
  assert.match(stdout, /^p99 latency +1\.2 s$/m)
  assert.match(stdout, /^\/api\/x +1,200 +1 +41 ms/m)
  assert.deepEqual(machine.api.requests.at(-1)?.query, { from: '1700000000000', target: 'preview' })
  assert.deepEqual(JSON.parse((await aloft('analytics', 'shop', '--json')).stdout), analytics)
})
