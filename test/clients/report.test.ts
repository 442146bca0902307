import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStepRecorder, type Step } from './report.ts'

test('a step that fails is expected to only where it complains of what is known', async () => {
  const steps: Step[] = []
  const { step } = createStepRecorder('client', '1', steps)
  const known = { complaint: /^slug Required$/, why: 'The documents have none' }
  const fail = (message: string) => () => Promise.reject(new Error(message))
  await step('as it was', fail('slug\n Required'), known)
  await step('otherwise', fail('slug Required; name Required'), known)
  await step('unknown', fail('slug Required'))
  assert.deepEqual(
    steps.map(({ command, problem, expected }) => [command, problem, expected]),
    [
      ['as it was', 'The documents have none (slug\n Required)', true],
      ['otherwise', 'slug Required; name Required', undefined],
      ['unknown', 'slug Required', undefined],
    ],
  )
})
