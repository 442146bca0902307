import assert from 'node:assert/strict'
import { test } from 'node:test'
import { portFlag } from './dev-command.ts'

const VITE = 'vite --port $PORT'

test('a script that only starts the framework is told the port by an option', () => {
  assert.equal(portFlag('vite', VITE), '--port')
  assert.equal(portFlag('NODE_ENV=development vite --open', VITE), '--port')
  assert.equal(portFlag('next dev --turbo', 'next dev --port $PORT'), '--port')
  assert.equal(portFlag('gridsome develop', 'gridsome develop -p $PORT'), '-p')
})

test('one that does more, names a port or starts something else is left alone', () => {
  for (const script of ['vite --port 80', 'vite & node api.js', 'node dev.js', 'vite | cat'])
    assert.equal(portFlag(script, VITE), undefined, script)
  assert.equal(portFlag('remix dev', 'remix dev'), undefined)
  assert.equal(portFlag('vite', undefined), undefined)
})
