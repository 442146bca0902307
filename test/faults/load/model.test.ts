import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Model } from './model.ts'

test('what was acknowledged has to be there, and what was not answered may be', () => {
  const model = new Model()
  model.begin('a', '1')()
  model.begin('b', '1')
  model.begin('c', '1')()
  model.begin('c', undefined)
  assert.equal(model.isCertain('a'), true)
  assert.equal(model.isCertain('b'), false)
  assert.deepEqual(model.settle(new Map([['a', '1']])), [])
  assert.deepEqual(model.settle(new Map()), ['a is not there, and should be "1"'])
})

test('what was deleted may not come back, and nothing comes from nowhere', () => {
  const model = new Model()
  model.begin('a', '1')()
  model.begin('a', undefined)()
  assert.deepEqual(model.settle(new Map([['a', '1']])), ['a is "1", and should be not there'])
  assert.deepEqual(new Model().settle(new Map([['b', '2']])), ['b is "2", and nobody has made it'])
})

test('an older value is a loss', () => {
  const model = new Model()
  model.begin('a', '1')()
  model.begin('a', '2')()
  assert.deepEqual(model.settle(new Map([['a', '1']])), ['a is "1", and should be "2"'])
})

test('what was not answered is what somebody found out about it', () => {
  const model = new Model()
  model.begin('page/a', 'old')()
  model.begin('page/a', 'new')
  assert.deepEqual(model.uncertain('page/'), [['page/a', new Set(['old', 'new'])]])
  model.decide('page/a', 'new')
  assert.equal(model.allows(new Map([['page/a', 'old']])), false, 'a page that lags behind is waited for')
  model.decide('page/a', 'neither')
  assert.deepEqual(model.settle(new Map([['page/a', 'new']])), [])
})
