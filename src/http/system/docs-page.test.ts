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
  assert.equal(page.split('<details data-gen').length - 1, rows.length)
  for (const gen of ['current', 'legacy', 'earliest'])
    assert.equal(page.split(`data-gen="${gen}"`).length - 1, rows.filter((row) => row.gen === gen).length)
})

test('every link within the page leads somewhere', () => {
  for (const [, to] of page.matchAll(/ href="#([^"]+)"/g)) assert.ok(page.includes(` id="${to}"`), to)
})

test('current versions come first, and are what is shown unless something else is chosen', () => {
  assert.match(page, /id="show-current" checked/)
  // What is said of versions and errors is of no version, and always shown.
  assert.ok(page.includes('details[data-gen]:not([data-gen=current])') && !page.includes(') details:not('))
  for (const section of page.split('<section>').slice(1)) {
    const gens = [...section.matchAll(/data-gen="(\w+)"/g)].map(([, gen]) => gen as string)
    const order = gens.map((gen) => ['current', 'legacy', 'earliest'].indexOf(gen))
    assert.deepEqual(order, order.toSorted())
  }
})

test('a search finds endpoints by path and by what is said of them', () => {
  const found = docsPage(listEndpoints(), 'https://aloft.example', 'rollback Projects')
  assert.match(found, /<code>\/v9\/projects\/:projectId\/rollback\/:deploymentId<\/code>/)
  assert.doesNotMatch(found, /<code>\/v3\/user\/tokens<\/code>/)
  assert.match(
    docsPage([], 'https://aloft.example', '"><script>'),
    /0 endpoints for “&quot;&gt;&lt;script&gt;”/,
  )
})

test('it needs no script', () => {
  assert.doesNotMatch(page, /<script|javascript:| on\w+=/i)
})
