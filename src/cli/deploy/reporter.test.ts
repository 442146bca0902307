import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LogEvent } from '#client/follow/log-events.ts'
import { createOutput } from '../output/output.ts'
import { createReporter } from './reporter.ts'

const line = (text: string) =>
  ({ type: 'log', entry: { type: 'stdout', payload: { text } } as LogEvent }) as const

test('that it builds is said before the first line of the build, and once', () => {
  let said = ''
  const sink = {
    isTTY: false,
    write: (text: string) => {
      said += text
    },
  }
  const reporter = createReporter(createOutput({ stdout: sink, stderr: sink, env: {}, json: false }), () => 0)
  reporter.on({ type: 'state', state: 'INITIALIZING' })
  reporter.on(line('Detected Vite'))
  reporter.on({ type: 'state', state: 'BUILDING' })
  reporter.on(line('npm install'))
  reporter.stop()
  assert.equal(said, 'Waiting for a builder…\nBuilding…\n│ Detected Vite\n│ npm install\n')
})
