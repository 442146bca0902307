import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pathOf } from '#contract/endpoint.ts'
import { escapeHtml } from '#contract/html.ts'
import { listEndpoints } from '#test/support/endpoints.ts'
import { docsPage } from './docs-page.ts'

const rows = listEndpoints().filter((row) => !row.page)
const page = docsPage(listEndpoints(), 'https://aloft.example')

test('every version of every endpoint is there, with a link of its own', () => {
  for (const row of rows) assert.ok(page.includes(`<code>${escapeHtml(pathOf(row))}</code>`), row.on)
  const anchors = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
  assert.equal(new Set(anchors).size, anchors.length)
  assert.equal(page.split('<details ').length - 1, rows.length)
  for (const gen of ['current', 'legacy', 'earliest'])
    assert.equal(page.split(`data-gen="${gen}"`).length - 1, rows.filter((row) => row.gen === gen).length)
})

test('every link within the page leads somewhere', () => {
  for (const [, to] of page.matchAll(/ href="#([^"]+)"/g)) assert.ok(page.includes(` id="${to}"`), to)
})

test('it needs no script', () => {
  assert.doesNotMatch(page, /<script|javascript:| on\w+=/i)
})
