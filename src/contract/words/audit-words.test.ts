import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { inWords, kindOf, type NamesById, textOf } from './audit-words.ts'

const known: NamesById = {
  project: (id) => (id === 'prj_1' ? 'marketing' : id),
  person: (id) => (id === 'u_1' ? 'grace' : id),
}
const said = (action: string, target: Record<string, string> = {}) =>
  textOf(inWords({ action, target }, known))

test('changes are said in sentences, with names for ids', () => {
  assert.equal(
    said('POST /v10/projects/:idOrName/env', { idOrName: 'prj_1', key: 'API_KEY' }),
    'added the variable API_KEY to marketing',
  )
  assert.equal(said('DELETE /v9/projects/:idOrName', { idOrName: 'shop' }), 'deleted the project shop')
  assert.equal(
    said('POST /v9/projects/:projectId/rollback/:deploymentId', {
      projectId: 'prj_1',
      deploymentId: 'dpl_7',
    }),
    'rolled marketing back to dpl_7',
  )
  assert.equal(
    said('PATCH /v1/teams/:id/members/:userId', { id: 't', userId: 'u_1', role: 'OWNER' }),
    'changed the role of grace to owner',
  )
  assert.equal(said('POST /v9/things/:id/do-it', { id: 'x' }), 'created things do it x')
})

test('what can be opened is named as such', () => {
  const [, piece] = inWords(
    { action: 'POST /v1/projects/:projectId/pause', target: { projectId: 'prj_1' } },
    known,
  ).slice(1)
  assert.deepEqual(piece, {
    name: 'marketing',
    thing: { kind: 'project', id: 'marketing' },
  })
})

test('every endpoint that changes something has a sentence of its own', () => {
  const folder = join(import.meta.dirname, '../api')
  const actions = readdirSync(folder).flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/on: '((?:POST|PUT|PATCH|DELETE) [^']+)'/g)].map(
      (match) => match[1] as string,
    ),
  )
  assert.ok(actions.length > 80)
  // Signing in, uploading, fetching and what nobody signs in for are not in the log.
  const silent =
    /\/(?:login|logout|setup|files|access_token|git-upload-pack|info\/lfs|invitation|machines\/join|git\/(?:apps\/:id\/)?called|integrations\/deploy)\b/
  const without = actions.filter(
    (action) => !silent.test(action) && said(action).startsWith(fallback(action)),
  )
  assert.deepEqual(without, [])
})

const fallback = (action: string): string => {
  const [method = '', path = ''] = kindOf(action).split(' ')
  const deed = { POST: 'created', PUT: 'set', PATCH: 'changed', DELETE: 'removed' }[method] ?? method
  const nouns = path.split('/').filter((part) => part !== '' && part !== ':')
  return `${deed} ${nouns.join(' ').replaceAll('-', ' ')}`
}
