import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listEndpoints } from '#test/support/endpoints.ts'
import { loggedPath } from './secret-paths.ts'

/** Names of parameters whose value lets in whoever knows it. */
const SECRETS = new Set(['code', 'hookId', 'secret', 'state', 'token'])
/** Codes of errors are words. */
const NO_SECRET = /^GET \/errors\//

test('no secret in the path of an endpoint is logged, and everything else is', () => {
  const hidden: string[] = []
  for (const { on } of listEndpoints()) {
    if (NO_SECRET.test(on)) continue
    const path = on.slice(on.indexOf(' ') + 1)
    const sent = path.replace(/:(\w+)/g, (_, name) => (SECRETS.has(name) ? 's3cret' : `a-${name}`))
    const expected = sent.replaceAll('s3cret', '[redacted]')
    assert.equal(loggedPath(sent), expected, on)
    if (sent !== expected) hidden.push(path)
  }
  assert.deepEqual([...new Set(hidden)].sort(), [
    '/projects/transfer-request/:code',
    '/v1/git/apps/start/:state',
    '/v1/git/called/:projectId/:token',
    '/v1/integrations/deploy/:projectId/:hookId',
  ])
})

test('neither is a query, whatever it holds', () => {
  assert.equal(loggedPath('/invitation?token=s3cret'), '/invitation')
  assert.equal(loggedPath('/v1/integrations/deploy/p/s3cret?x=/y'), '/v1/integrations/deploy/p/[redacted]')
  assert.equal(loggedPath('/v1/integrations/deploy/p//s3cret/'), '/v1/integrations/deploy/p//[redacted]/')
})
