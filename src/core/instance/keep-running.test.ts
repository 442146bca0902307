import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sampleDeployment, sampleOutput } from '#test/support/samples.ts'
import type { Scale } from '../deployment/deployment.ts'
import { createKeepRunning } from './keep-running.ts'

test('the last change of a scale stays in force, however slowly an earlier one is read', async () => {
  let stored: Scale = { min: 1, max: 1 }
  const slow = Promise.withResolvers<void>()
  const scaled: Scale[] = []
  let reads = 0
  const keepRunning = createKeepRunning({
    deployments: {
      async find(id) {
        const deployment = sampleDeployment({ id, scale: stored })
        if (reads++ === 0) await slow.promise
        return deployment
      },
    },
    outputs: { code: async () => sampleOutput() },
    scale: (_, scale) => void scaled.push(scale),
    share: (_, min) => min,
  })
  const first = keepRunning('dpl_a')
  stored = { min: 0, max: 1 }
  const second = keepRunning('dpl_a')
  slow.resolve()
  await Promise.all([first, second])
  assert.deepEqual(scaled.at(-1), { min: 0, max: 1 })
})

test('one that cannot be read is no obstacle for the next', async () => {
  const scaled: string[] = []
  let fails = true
  const keepRunning = createKeepRunning({
    deployments: {
      find: async (id) => {
        if (fails) throw new Error('away')
        return sampleDeployment({ id })
      },
    },
    outputs: { code: async () => undefined },
    scale: (id) => void scaled.push(id),
    share: (_, min) => min,
  })
  await assert.rejects(keepRunning('dpl_a'), /away/)
  fails = false
  await keepRunning('dpl_a')
  assert.deepEqual(scaled, ['dpl_a'])
})

test('a machine has its share of the instances that always run', async () => {
  const scaled: Scale[] = []
  const keepRunning = createKeepRunning({
    deployments: { find: async (id) => sampleDeployment({ id, scale: { min: 5, max: 9 } }) },
    outputs: { code: async () => undefined },
    scale: (_, scale) => void scaled.push(scale),
    share: ({ regions }, min) => (regions.includes('bru1') ? min - 2 : 0),
  })
  await keepRunning('dpl_a')
  assert.deepEqual(scaled, [{ min: 3, max: 9 }])
})
