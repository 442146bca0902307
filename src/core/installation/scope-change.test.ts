import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { SCOPES } from '#contract/scopes.ts'
import { PERMISSIONS, type Scopes } from '../application/application.ts'
import { grants, type ScopeChange } from './installation.ts'
import { confirmScopes, followScopes, narrowed, scopeList } from './scope-change.ts'

const someScopes: fc.Arbitrary<Scopes> = fc.dictionary(
  fc.constantFrom(...SCOPES),
  fc.constantFrom(...PERMISSIONS),
)

const has = (scopes: Scopes, inner: Scopes): boolean =>
  SCOPES.every((scope) => inner[scope] === undefined || grants(scopes, scope, inner[scope]))
const same = (a: Scopes, b: Scopes) => assert.deepEqual(scopeList(a), scopeList(b))

/** An installation that follows one request after another. */
const following = (first: Scopes, requested: readonly Scopes[]) => {
  let installation: { scopes: Scopes; scopesQueue: readonly ScopeChange[] } = {
    scopes: first,
    scopesQueue: [],
  }
  let asked = first
  requested.forEach((scopes, now) => {
    installation = followScopes(installation, { scopes, note: null }, now)?.change ?? installation
    asked = scopes
  })
  return { installation, asked }
}

test('less holds at once, more never before somebody agrees', () => {
  fc.assert(
    fc.property(someScopes, fc.array(someScopes, { maxLength: 5 }), (first, requested) => {
      const { installation, asked } = following(first, requested)
      assert.ok(has(first, installation.scopes), 'nothing that was not agreed to')
      assert.ok(has(asked, installation.scopes), 'nothing that is not asked for any more')
    }),
  )
})

test('after somebody agreed, an installation has what is asked for', () => {
  fc.assert(
    fc.property(someScopes, fc.array(someScopes, { minLength: 1, maxLength: 5 }), (first, requested) => {
      const { installation, asked } = following(first, requested)
      const confirmed = confirmScopes(installation, asked, 9)
      same(confirmed?.scopes ?? installation.scopes, asked)
      assert.equal(confirmed && confirmScopes(confirmed, asked, 10), undefined, 'there is nothing left')
    }),
  )
})

test('who is told the same twice asks once', () => {
  fc.assert(
    fc.property(someScopes, someScopes, (first, asked) => {
      const { installation } = following(first, [asked])
      assert.equal(followScopes(installation, { scopes: asked, note: 'again' }, 9), undefined)
    }),
  )
})

test('what is added and what is raised are told apart', () => {
  const followed = followScopes(
    { scopes: { project: 'read', user: 'read' }, scopesQueue: [] },
    { scopes: { project: 'read-write', domain: 'read' }, note: 'why' },
    7,
  )
  assert.deepEqual(followed?.change.scopes, { project: 'read' })
  assert.deepEqual(followed?.news, {
    added: { domain: 'read' },
    upgraded: { project: 'read-write' },
    note: 'why',
    requestedAt: 7,
    confirmedAt: null,
  })
})

test('of what was granted as much is left as is asked for', () => {
  same(narrowed({ project: 'read-write', domain: 'read' }, { project: 'read', domain: 'read-write' }), {
    project: 'read',
    domain: 'read',
  })
})
