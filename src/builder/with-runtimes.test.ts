import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Builder, BuildTask } from '#core/ports/builder.ts'
import { sampleOutput } from '#test/support/samples.ts'
import { ToolchainError } from './environment/toolchain/toolchain.ts'
import { withRuntimes } from './with-runtimes.ts'

const task = { signal: new AbortController().signal } as unknown as BuildTask
const events = {} as Parameters<Builder['build']>[1]
const output = sampleOutput()
const builder: Builder = { build: async () => output }

test('what programs run on is there before they count as built', async () => {
  const logged: string[] = []
  const built = await withRuntimes(builder, {
    toolchains: {
      ensureNode: async (version) => {
        logged.push(version)
        return { folder: '/x', node: '/opt/node/bin/node', version }
      },
      ensureBun: () => assert.fail('no program asks for it'),
    },
    onFunctions: (programs) => {
      assert.deepEqual(programs, output.programs)
      logged.push('functions')
    },
  }).build(task, events)
  assert.equal(built, output)
  assert.deepEqual(logged, ['20.x', 'functions'])
})

test('programs for Bun have theirs fetched, too', async () => {
  const logged: string[] = []
  const onBun = output.programs.map((program) => ({ ...program, runtime: 'bun', version: '1.x' }) as const)
  await withRuntimes(
    { build: async () => ({ ...output, programs: onBun }) },
    {
      toolchains: {
        ensureNode: () => assert.fail('no program asks for it'),
        ensureBun: async (version) => {
          logged.push(`bun ${version}`)
          return { folder: '/x', name: 'bun', version }
        },
      },
      onFunctions: () => logged.push('functions'),
    },
  ).build(task, events)
  assert.deepEqual(logged, ['bun 1.x', 'functions'])
})

test('a runtime that cannot be had is told to the owner', async () => {
  const without = withRuntimes(builder, {
    toolchains: {
      ensureNode: () => Promise.reject(new ToolchainError('unavailable', 'Node 20.x cannot be had')),
      ensureBun: () => assert.fail('no program asks for it'),
    },
    onFunctions: () => assert.fail('nothing can run'),
  })
  await assert.rejects(without.build(task, events), {
    code: 'toolchain_unavailable',
    message: 'Node 20.x cannot be had',
  })
})
