import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import fastJson, { type Schema } from 'fast-json-stringify'
import type { TSchema } from 'typebox'
import { listEndpoints } from '#test/support/endpoints.ts'

// A process compiles them when they are first needed, and takes for granted that they can be.
test('every schema of the API is one, and can be compiled', async () => {
  const ajv = new Ajv({ strict: false, formats: { 'date-time': true } })
  let count = 0
  for (const { on, body, query, reply } of await listEndpoints()) {
    for (const schema of [body, query])
      if (typeof schema === 'object') {
        assert.doesNotThrow(() => ajv.compile(schema as TSchema), on)
        count += 1
      }
    if (typeof reply === 'object') {
      assert.doesNotThrow(() => fastJson(reply as Schema), on)
      count += 1
    }
  }
  assert.ok(count > 100)
})
