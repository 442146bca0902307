import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import { readAnalytics } from '#contract/api/analytics.ts'
import {
  abortRelease,
  approveReleaseStage,
  completeRelease,
  deleteReleaseConfig,
  getRelease,
  getReleaseConfig,
  setReleaseConfig,
} from '#contract/api/release.ts'
import { startMachine, TOKEN } from '../cli-testing.ts'
import { RELEASE } from './release-testing.ts'

const ended = (state: 'COMPLETE' | 'ABORTED') => ({
  rollingRelease: { ...RELEASE, state, reason: state === 'ABORTED' ? 'It was aborted manually.' : null },
})
const TRAFFIC = {
  ...{ requests: 200, status: { '2xx': 190, '3xx': 0, '4xx': 0, '5xx': 10 }, bytes: 1, coldStarts: 0 },
  ...{ p50: 1, p95: 42, p99: 50 },
}
const CONFIG = {
  rollingRelease: {
    ...{ target: 'production', advancementType: 'automatic' as const, canaryResponseHeader: false },
    stages: [
      { targetPercentage: 10, duration: 5, requireApproval: false, linearShift: false },
      { targetPercentage: 100, requireApproval: false, linearShift: false },
    ],
  },
}
let isUnderWay = true
const machine = await startMachine(
  answers(getRelease, () => ({ rollingRelease: isUnderWay ? RELEASE : null })),
  answers(getReleaseConfig, () => CONFIG),
  answers(setReleaseConfig, () => CONFIG),
  answers(deleteReleaseConfig, () => ({ rollingRelease: null })),
  answers(approveReleaseStage, () => ({ rollingRelease: { ...RELEASE, currentCanaryPercentage: 50 } })),
  answers(completeRelease, () => ended('COMPLETE')),
  answers(abortRelease, () => ended('ABORTED')),
  answers(readAnalytics, () => ({ from: 1, to: 2, step: 1, points: [], totals: TRAFFIC, topPaths: [] })),
)
after(() => machine[Symbol.asyncDispose]())
const run = (...line: string[]) =>
  machine.run(['releases', ...line, '--project', 'shop'], { ALOFT_TOKEN: TOKEN })
const last = () => machine.api.requests.at(-1)

test('stages are set with how long each lasts, and what is watched', async () => {
  const { code, stdout, stderr } = await run('set', '--stages', '10:5m,50', '--watch', 'pause')
  assert.equal(code, 0, stderr)
  assert.match(stdout, /production deployment: 10%, 50%, 100%/)
  assert.deepEqual(last()?.body, {
    stages: [
      { targetPercentage: 10, duration: 5 },
      { targetPercentage: 50, requireApproval: true },
      { targetPercentage: 100 },
    ],
    canaryResponseHeader: false,
    gate: { action: 'pause' },
  })
  await run('set', '--stages', '10:5m', '--linear', '--watch', 'nothing')
  assert.equal((last()?.body as { gate: unknown } | undefined)?.gate, null)
  for (const wrong of ['x', '10:later', '200:5m', ''])
    assert.equal((await run('set', '--stages', wrong)).code, 2, wrong)
  assert.equal((await run('set')).code, 2)
  assert.match((await run('off')).stdout, /go to all visitors immediately/)
})

test('the status shows both deployments beside each other', async () => {
  const { stdout } = await run('status')
  assert.match(stdout, /10% for 5 min, 100%/)
  assert.match(stdout, /10% of visitors get shop-new\.localhost/)
  assert.match(stdout, /50%, when you run `aloft releases approve`/)
  assert.match(stdout, /new +shop-new\.localhost +200 +5% +42 ms/)
})

test('it goes on, is completed and is aborted', async () => {
  assert.match((await run('approve')).stdout, /50% of visitors get shop-new\.localhost/)
  assert.deepEqual(last()?.body, { canaryDeploymentId: 'dpl_new', nextStageIndex: 1 })
  assert.match((await run('complete', '--yes')).stdout, /All visitors get shop-new\.localhost/)
  assert.match((await run('abort', '--yes')).stdout, /was aborted: It was aborted manually\./)
  assert.match((await run('abort')).stderr, /--yes/)
  isUnderWay = false
  const { code, stderr } = await run('approve')
  assert.deepEqual([code, /No release is in progress/.test(stderr)], [4, true])
})
