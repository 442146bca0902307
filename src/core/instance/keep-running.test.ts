import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sampleDeployment, sampleOutput } from '#test/support/samples.ts'
import type { Scale } from '../deployment/deployment.ts'
import { createKeepAll, createKeepRunning } from './keep-running.ts'

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
    forget: () => {},
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
    forget: () => {},
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
    forget: () => {},
    share: ({ regions }, min) => (regions.includes('bru1') ? min - 2 : 0),
  })
  await keepRunning('dpl_a')
  assert.deepEqual(scaled, [{ min: 3, max: 9 }])
})

test('whoever missed the news of a deployment finds out what became of it', async () => {
  const stored = new Map([
    ['dpl_kept', sampleDeployment({ id: 'dpl_kept', scale: { min: 1, max: 2 } })],
    ['dpl_freed', sampleDeployment({ id: 'dpl_freed', scale: { min: 0, max: 1 } })],
  ])
  const scaled = new Map<string, Scale>()
  const forgotten: string[] = []
  const keepAll = createKeepAll({
    deployments: { keptRunning: async () => [...stored.values()].filter(({ scale }) => scale.min > 0) },
    running: () => ['dpl_freed', 'dpl_deleted'],
    keepRunning: createKeepRunning({
      deployments: { find: async (id) => stored.get(id) },
      outputs: { code: async () => sampleOutput() },
      scale: (id, scale) => void scaled.set(id, scale),
      forget: (id) => void forgotten.push(id),
      share: (_, min) => min,
    }),
  })
  await keepAll()
  assert.deepEqual([...scaled].sort(), [
    ['dpl_freed', { min: 0, max: 1 }],
    ['dpl_kept', { min: 1, max: 2 }],
  ])
  assert.deepEqual(forgotten, ['dpl_deleted'])
})
