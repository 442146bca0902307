import assert from 'node:assert/strict'
import { test } from 'node:test'
import { queueWords } from './queue-words.ts'

test('who waits is told behind how many, and for about how long', () => {
  assert.equal(queueWords({ ahead: 0 }, 0), 'this one is next')
  assert.equal(
    queueWords({ ahead: 1, expectedAt: 90_000 }, 0),
    '1 build is ahead of this one, in about 2 minutes',
  )
  assert.equal(
    queueWords({ ahead: 3, expectedAt: 5 }, 100),
    '3 builds are ahead of this one, in about 1 minute',
  )
})
