import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import type { AnyRequest } from '#core/http-message.ts'
import { readPostedForm } from './posted-form.ts'

const TYPE = { 'content-type': 'application/x-www-form-urlencoded' }
const posted = (headers: Readonly<Record<string, string>>) =>
  Object.assign(new PassThrough(), { headers }) as unknown as AnyRequest & PassThrough

test('a form that announces no body is empty, and is not waited for', async () => {
  assert.equal((await readPostedForm(posted(TYPE)))?.size, 0)
})

test('a small form is read, and nothing else', async () => {
  const small = posted({ ...TYPE, 'content-length': '3' })
  small.end('a=b')
  assert.equal((await readPostedForm(small))?.get('a'), 'b')
  assert.equal(await readPostedForm(posted({ ...TYPE, 'content-length': '9999' })), undefined)
  assert.equal(await readPostedForm(posted({ 'content-type': 'application/json' })), undefined)
})
