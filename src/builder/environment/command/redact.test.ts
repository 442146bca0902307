import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createRedactor } from './redact.ts'

const SYMBOLS = ['.*+?^$', '{}()|[]', '\\/'].join('')

describe('redaction', () => {
  it('replaces secrets in the forms that programs print them', () => {
    const secret = 'p"ss w/rd?+ÿ'
    const { redact } = createRedactor([secret])
    const base64 = Buffer.from(secret).toString('base64')
    for (const form of [
      secret,
      JSON.stringify(secret),
      encodeURIComponent(secret),
      base64,
      base64.replaceAll('/', '_').replaceAll('+', '-'),
    ]) {
      const text = redact(`before ${form} after`)
      assert.match(text, /^before "?\[redacted\]"?=* after$/, form)
    }
  })

  it('takes the longest where one secret begins with another', () => {
    assert.equal(createRedactor(['abcd', 'abcdefgh']).redact('xabcdefghx'), 'x[redacted]x')
  })

  it('replaces the lines of a secret of several', () => {
    const { redact } = createRedactor(['-----BEGIN KEY-----\nMIIEvQIBADANBg\nx\n'])
    assert.equal(redact('MIIEvQIBADANBg'), '[redacted]')
    assert.equal(redact('x'), 'x')
  })

  it('leaves short values and other text alone, and takes values literally', () => {
    const { redact } = createRedactor(['abc', '', SYMBOLS])
    assert.equal(redact('abc anything'), 'abc anything')
    assert.equal(redact(SYMBOLS), '[redacted]')
  })

  it('replaces secrets that are longer than any expression can be', () => {
    const key = 'k'.repeat(60_000)
    const { redact, cut } = createRedactor([key, 'password', `pass${key}`])
    const base64 = Buffer.from(key).toString('base64')
    assert.equal(redact(`a ${key} b password c ${base64}`), 'a [redacted] b [redacted] c [redacted]')
    assert.equal(redact(`a pass${key}word`), 'a [redacted]word')
    assert.equal(cut(`a password ${key}`, 30_000), 11)
    assert.equal(cut(`${key}`, 30_000), 60_000)
    assert.equal(cut(`a password ${key}`, 5), 2)
    assert.equal(cut(`a password ${key}`, 10), 10)
  })
})
