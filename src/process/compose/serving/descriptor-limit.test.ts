import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectionLimit, tooFewFiles } from './descriptor-limit.ts'

const limits = (files: number | string) =>
  `Limit                     Soft Limit           Hard Limit           Units     \nMax open files            ${files}                 1048576              files     \n`

test('a limit of open files that no sandbox can be started with is told', () => {
  assert.match(tooFewFiles(limits(255)) ?? '', /^the limit of open files is 255, and at least 256 are needed/)
  for (const enough of [limits(256), limits(1_048_576), limits('unlimited'), ''])
    assert.equal(tooFewFiles(enough), undefined)
})

test('visitors get three quarters of the open files, and leave a hundred to others', () => {
  assert.equal(connectionLimit(limits(1000)), 750)
  assert.equal(connectionLimit(limits(256)), 156)
  assert.equal(connectionLimit(limits('unlimited')), Number.POSITIVE_INFINITY)
})
