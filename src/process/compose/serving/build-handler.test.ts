import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Handle } from '#listener/listener-request.ts'
import { noteRequests } from './build-handler.ts'

test('what a process is busy with is noted without secrets', () => {
  const begun: string[] = []
  const note = noteRequests({ begin: (what) => void begun.push(what) }, () => {})
  for (const url of [
    '/a/b?token=s3cret',
    '/v1/integrations/deploy/prj_1/s3cret',
    '/v1/git/called/prj_1/s3cret',
  ])
    note(...([{ method: 'POST', url, headers: { host: 'a.test' } }, {}] as unknown as Parameters<Handle>))
  assert.deepEqual(begun, [
    'POST a.test/a/b',
    'POST a.test/v1/integrations/deploy/prj_1/[redacted]',
    'POST a.test/v1/git/called/prj_1/[redacted]',
  ])
})
