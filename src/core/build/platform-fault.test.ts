import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SandboxError } from '../ports/sandbox.ts'
import { allThatFailed, whatFailed } from './platform-fault.ts'

test('the owner is told the kind of thing, wherever in the chain it is', () => {
  const of = (cause: Error) => whatFailed(new Error('while building', { cause }))
  assert.equal(of(new SandboxError('no_outbound', 'nft')), 'it has no network for builds')
  assert.equal(of(new SandboxError('not_started', 'x')), 'it could not start a sandbox for the build')
  assert.equal(
    of(Object.assign(new Error('x'), { code: 'ENOTFOUND' })),
    'a service it depends on was not found',
  )
  assert.equal(whatFailed('a text'), 'an internal error occurred')
})

test('the operator is told all', () => {
  assert.equal(allThatFailed(new Error('one', { cause: new Error('two') })), 'one: two')
  assert.equal(allThatFailed('a text'), 'a text')
})
