import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entityTag, satisfiesIfMatch, satisfiesIfRange, tagInHand } from './entity-tag.ts'

const SHA = 'a'.repeat(64)
const OTHER = 'b'.repeat(64)
const ALL = ['br', 'gzip', 'identity'] as const

test('each form of a content has a tag of its own', () => {
  const tags = [
    entityTag(SHA, 'identity'),
    entityTag(SHA, 'br'),
    entityTag(SHA, 'br', 'quick'),
    entityTag(SHA, 'gzip'),
    entityTag(OTHER, 'identity'),
  ]
  assert.equal(new Set(tags).size, tags.length)
  for (const tag of tags) assert.match(tag, /^"[\x21\x23-\x7e]+"$/)
})

test('a client has the content in hand if it names one of the forms that it accepts', () => {
  assert.equal(tagInHand(`"${SHA}"`, SHA, ALL), `"${SHA}"`)
  assert.equal(tagInHand(`W/"${SHA}"`, SHA, ALL), `"${SHA}"`)
  assert.equal(tagInHand(`"x", W/"y" ,"${SHA}-br"`, SHA, ALL), `"${SHA}-br"`)
  assert.equal(tagInHand(`"${SHA}-br-q"`, SHA, ALL), `"${SHA}-br-q"`)
  assert.equal(tagInHand('*', SHA, ALL), `"${SHA}"`)
})

test('a client does not have the content in hand by another tag, a form it refuses, or nonsense', () => {
  for (const header of [`"${OTHER}"`, `"${SHA}-zstd"`, SHA, `"${SHA}`, `w/"${SHA}"`, '', `"${SHA}" "x"`, '"'])
    assert.equal(tagInHand(header, SHA, ALL), undefined, header)
})

test('If-Match takes strong tags of this content alone', () => {
  assert.ok(satisfiesIfMatch(`"${SHA}"`, SHA, ALL))
  assert.ok(satisfiesIfMatch('*', SHA, ALL))
  assert.ok(!satisfiesIfMatch(`W/"${SHA}"`, SHA, ALL))
  assert.ok(!satisfiesIfMatch(`"${OTHER}"`, SHA, ALL))
  assert.ok(!satisfiesIfMatch('nonsense', SHA, ALL))
})

test('If-Range takes the very tag, and never a date', () => {
  assert.ok(satisfiesIfRange(` "${SHA}" `, `"${SHA}"`))
  assert.ok(!satisfiesIfRange(`W/"${SHA}"`, `"${SHA}"`))
  assert.ok(!satisfiesIfRange('Wed, 21 Oct 2015 07:28:00 GMT', `"${SHA}"`))
})
