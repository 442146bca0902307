import assert from 'node:assert/strict'
import { test } from 'node:test'
import picocolors from 'picocolors'
import { renderFacts, renderTable } from './table.ts'

const none = picocolors.createColors(false)

test('columns are aligned, also for wide letters, and lines have no trailing blanks', () => {
  assert.equal(
    renderTable(
      ['SLUG', 'NAME', 'ROLE'],
      [
        ['acme', '日本', 'OWNER'],
        ['b', 'Büro', 'M'],
      ],
      none,
    ),
    'SLUG   NAME   ROLE\nacme   日本   OWNER\nb      Büro   M',
  )
})

test('a terminal that is too narrow is shown the first columns, and at least two', () => {
  const table = (width?: number) =>
    renderTable(['NAME', 'ADDRESS', 'ID'], [['shop', 'http://shop.localhost', 'prj_1']], none, width)
  assert.match(table(), /ID/)
  assert.match(table(36), /ID/)
  assert.equal(table(35), 'NAME   ADDRESS\nshop   http://shop.localhost')
  assert.equal(table(10), table(35))
})

test('a cell cannot make a line of its own', () => {
  assert.equal(renderTable(['A'], [['x\ny\u001b[2J']], none).split('\n').length, 2)
})

test('facts are a name and a value a line', () => {
  assert.equal(
    renderFacts(
      [
        ['plan', 'pro'],
        ['username', 'jo'],
      ],
      none,
    ),
    'plan       pro\nusername   jo',
  )
})
