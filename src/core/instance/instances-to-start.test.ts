import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { instancesToStart, type ProcessorLoad, type ProgramLoad } from './instances-to-start.ts'

const on = (cores: number, idle: number, used: number): ProcessorLoad => ({ cores, idle, used })

/** A load of two cores on which others leave nothing. */
const FULL = on(2, 0, 0.02)

const CASES: readonly (readonly [what: string, load: Partial<ProgramLoad>, more: number])[] = [
  ['nobody waits', { waiting: 0, processor: on(2, 2, 0) }, 0],
  ['the use of the processor cannot be told', { processor: undefined }, 6],
  ['some are on their way', { processor: undefined, starting: 4 }, 2],
  ['enough are on their way', { processor: undefined, starting: 7 }, 0],
  ['there may be only so many', { processor: undefined, most: 3 }, 2],
  ['its requests wait for others', { processor: on(2, 1.8, 0.02) }, 6],
  ['its requests wait for others, on busy cores', { processor: FULL }, 1],
  ['the same, and one is on its way', { starting: 1, processor: FULL }, 2],
  ['the same, and there are several', { ready: 4, processor: FULL }, 4],
  ['the same, and few requests wait', { waiting: 64, ready: 4, processor: FULL }, 2],
  ['it gets little of the cores, as somebody else has them', { processor: on(2, 0, 0.2) }, 1],
  ['it keeps one of two cores busy', { processor: on(2, 1, 1) }, 1],
  ['it keeps the cores busy', { processor: on(2, 0.1, 1) }, 0],
  ['it shares busy cores with what asks it', { processor: on(2, 0.15, 0.6) }, 0],
  ['several instances keep the cores busy', { ready: 4, processor: on(2, 0, 1.2) }, 0],
  ['several instances leave a little of the cores', { ready: 4, processor: on(2, 0.2, 0.4) }, 0],
  ['there is room for two more that use as much', { processor: on(2, 0.8, 0.4) }, 2],
  ['half of a core is idle', { ready: 2, processor: on(2, 0.5, 1.3) }, 1],
  ['it keeps one of many cores busy', { processor: on(16, 14, 1) }, 6],
  ['it has a small part of many busy cores', { ready: 2, processor: on(16, 0, 1) }, 2],
  ['it has a large part of many busy cores', { ready: 3, processor: on(16, 0, 3) }, 0],
  ['it uses several cores at a time', { processor: on(8, 3.5, 4) }, 3],
  ['the first starts on busy cores', { ready: 0, starting: 1, processor: on(2, 0, 0) }, 0],
  ['the first has the core that was idle', { ready: 0, starting: 1, processor: on(2, 1, 0) }, 0],
  ['cores are idle while the first starts', { ready: 0, starting: 1, processor: on(8, 6.9, 0) }, 5],
]

describe('how many instances to start for requests that wait', () => {
  for (const [what, load, more] of CASES)
    it(`is ${more} where ${what}`, () => {
      const usual = { waiting: 170, concurrency: 32, ready: 1, starting: 0, most: 10, processor: undefined }
      assert.equal(instancesToStart({ ...usual, ...load }), more)
    })
})
