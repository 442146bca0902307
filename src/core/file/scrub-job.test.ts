import assert from 'node:assert/strict'
import { it } from 'node:test'
import { silentLog } from '#test/support/silent-log.ts'
import { createScrubJob } from './scrub-job.ts'

const names = ['a', 'b', 'c', 'd', 'e']

function createWorld(damaged: readonly string[]) {
  const values = new Map<string, string>()
  const read: string[] = []
  const told: (readonly string[])[] = []
  const job = createScrubJob({
    blobs: {
      async *list(after) {
        for (const sha256 of names)
          if (after === undefined || sha256 > after) yield { sha256, size: 100, putAt: 0 }
      },
      async verify(sha256) {
        read.push(sha256)
        return damaged.includes(sha256) ? 'damaged' : 'sound'
      },
    },
    settings: {
      get: async (key) => values.get(key),
      set: async (key, value) => void values.set(key, value),
    },
    onDamage: async (sha256s) => void told.push(sha256s),
    maxBytes: 200,
  })
  const run = () =>
    job.run({}, { id: 'job_1', attempt: 1, signal: new AbortController().signal, log: silentLog })
  return { run, read, told }
}

it('goes through everything, some each time, and begins anew at the end', async () => {
  const { run, read, told } = createWorld([])
  for (let i = 0; i < 4; i++) await run()
  assert.equal(read.join(''), 'abcdeab')
  assert.deepEqual(told, [])
})

it('tells of what is damaged, once a run', async () => {
  const { run, told } = createWorld(['a', 'b', 'd'])
  for (let i = 0; i < 3; i++) await run()
  assert.deepEqual(told, [['a', 'b'], ['d']])
})
