import assert from 'node:assert/strict'
import { test } from 'node:test'
import { amountOf, readLimit, showAmount } from './quota-amount.ts'

test('amounts are shown in the words of what they are about', () => {
  assert.equal(showAmount('contentBytes', 0), '0 B')
  assert.equal(showAmount('contentBytes', 1_234_567_890), '1.2 GB')
  assert.equal(showAmount('contentBytes', 200e9), '200 GB')
  assert.equal(showAmount('memoryMb', 0), '0 MiB')
  assert.equal(showAmount('memoryMb', 512), '512 MiB')
  assert.equal(showAmount('memoryMb', 10_240), '10 GiB')
  assert.equal(showAmount('buildMinutes', 1234.4), '1,234 min')
  assert.equal(amountOf('deployments', 1), '1 deployment')
  assert.equal(amountOf('deployments', 1000), '1,000 deployments')
})

test('limits are read as people write them', () => {
  assert.equal(readLimit('contentBytes', '20GB'), 20e9)
  assert.equal(readLimit('contentBytes', '1.5 tb'), 1.5e12)
  assert.equal(readLimit('contentBytes', '500'), 500)
  assert.equal(readLimit('memoryMb', '512'), 512)
  assert.equal(readLimit('memoryMb', '20GB'), 20 * 1024)
  assert.equal(readLimit('memoryMb', '20GiB'), 20 * 1024)
  assert.equal(readLimit('contentBytes', '20GiB'), 20 * 2 ** 30)
  assert.equal(readLimit('buildMinutes', '600'), 600)
  assert.equal(readLimit('deployments', 'none'), null)
  assert.equal(readLimit('deployments', 'Default'), 'default')
  for (const wrong of ['', '-1', 'much', '1.5', '10GB'])
    assert.equal(readLimit('deployments', wrong), undefined)
})
