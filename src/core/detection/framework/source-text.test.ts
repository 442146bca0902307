import assert from 'node:assert/strict'
import { test } from 'node:test'
import { treeOf } from '../plan-testing.ts'
import { nodeServerEntries, runsOnBun } from './node-server.ts'
import { pythonApps } from './python-server.ts'

/** As large as a source may be that is looked at. Whoever deploys it chooses what is in it. */
const filled = (text: string): string => text.repeat(Math.floor(1_000_000 / text.length))

test('a source that keeps an expression guessing is looked at like any other', async () => {
  const serves = async (text: string) =>
    (await nodeServerEntries(treeOf({ 'index.js': text }), undefined, undefined)).length > 0
  assert.equal(await serves(`import (${filled(' ')}"http"); http.createServer()`), true)
  assert.equal(await serves(`import${filled(' ')}http`), false)

  const isOfBun = (text: string) => runsOnBun(treeOf({ 'index.js': text }), undefined, ['index.js'])
  assert.equal(await isOfBun("import x from 'y'; import { serve } from 'bun'"), true)
  assert.equal(await isOfBun("import x from 'y'; import type { Server } from 'bun'"), false)
  assert.equal(await isOfBun(filled('import x ')), false)
  assert.equal(await isOfBun(filled('import a from "bun"\n')), true)
  assert.equal(await isOfBun(filled('import;"bun')), false)

  const hasApp = async (text: string) => (await pythonApps(treeOf({ 'app.py': text }))).length > 0
  assert.equal(await hasApp(`from a import${' '.repeat(100)}b as app`), true)
  assert.equal(await hasApp(`from a import${filled(' ')}b`), false)
})
