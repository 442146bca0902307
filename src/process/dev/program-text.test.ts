import assert from 'node:assert/strict'
import { test } from 'node:test'
import { programText } from './program-text.ts'

const root = `/tmp/aloft-dev-x/programs/${'a1'.repeat(32)}/root`

test('files are named from the folder, and the frames of the launcher are left out', () => {
  assert.equal(programText(`    at GET (${root}/api/a.js:3:9)`), '    at GET (api/a.js:3:9)')
  assert.equal(programText(`    at file://${root}/api/a.mjs:3:9`), '    at api/a.mjs:3:9')
  assert.equal(programText('    at run (/x/src/launcher/node/handler/web-handler.cjs:99:9)'), undefined)
  assert.equal(programText('    at Server.emit (node:events:514:28)'), undefined)
  assert.equal(
    programText(`Error: no\n    at GET (${root}/a.js:1:1)\n    at Server.emit (node:events:5:2)`),
    'Error: no\n    at GET (a.js:1:1)',
  )
})

test('whatever else a program writes stays as it is', () => {
  for (const text of ['', 'at node:events', '{ a: 1 }', 'look at /launcher/node/x.cjs'])
    assert.equal(programText(text), text)
})
