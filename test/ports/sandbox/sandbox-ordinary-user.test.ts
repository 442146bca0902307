import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { compileCacheOf } from '#test/support/program/compile-cache.ts'
import { rootMissing } from '#test/support/sandbox/sandbox.ts'

// Who is not root runs these files as they are; here root has them run by somebody who is not.
const FILES = [
  'test/ports/sandbox/sandbox.test.ts',
  'test/ports/sandbox/sandbox-bounded.test.ts',
  'test/ports/sandbox/sandbox-closed.test.ts',
  'test/ports/sandbox/sandbox-network.test.ts',
  'test/faults/runner-escape.test.ts',
]
const UID = 65534
const NOBODY = ['--reuid', `${UID}`, '--regid', `${UID}`, '--clear-groups']
const unreachable = process.cwd().startsWith('/root') && 'another user cannot reach this folder'

describe('the sandbox of an ordinary user', { skip: rootMissing || unreachable }, () => {
  for (const file of FILES)
    it(`passes ${file}`, async (t) => {
      const home = await mkdtemp(join(tmpdir(), 'aloft-ordinary-'))
      t.after(() => rm(home, { recursive: true, force: true }))
      const { NODE_TEST_CONTEXT: _, ...env } = process.env
      const child = spawn(
        'setpriv',
        [...NOBODY, '--', process.execPath, '--test', '--test-isolation=none', '--test-reporter=tap', file],
        {
          env: { ...env, HOME: home, NODE_COMPILE_CACHE: compileCacheOf(UID) },
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      )
      const [told, code] = await Promise.all([
        text(child.stdout),
        new Promise((resolve) => child.once('close', resolve)),
      ])
      assert.equal(code, 0, told)
      // Tests that were all skipped would show nothing.
      assert.match(told, /^# pass [1-9]/m)
    })
})
