import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { testApp } from '#test/support/app.ts'
import { deployed, visit } from '#test/support/deploying.ts'
import { type Installation, install, TWO_SERVING } from '#test/support/installation.ts'
import { APPS } from './apps.ts'

let aloft: Installation

before(async () => {
  aloft = await install({ env: TWO_SERVING })
})
after(() => aloft.remove())

/** A comma-separated list of names, to try some of them by hand. */
const only = process.env.ONLY_APPS?.split(',')

// Most of a build is waiting for packages, and an installation makes two at once.
describe('applications', { concurrency: 2 }, () => {
  for (const { name, files, shows } of APPS.filter((app) => only?.includes(app.name) ?? true))
    test(`${name} is built and answers`, async () => {
      const { url } = await deployed(aloft, { name, files, env: { GREETING: 'from the deployment' } })
      for (const expected of shows) {
        const { status, headers, text } = await visit(aloft, url, expected)
        const told = `${expected.method ?? 'GET'} ${expected.path}: ${status}\n${text.slice(0, 2000)}`
        assert.equal(status, expected.status ?? 200, told)
        assert.match(text.replaceAll('<!-- -->', ''), expected.holds, told)
        if (expected.type) assert.match(headers['content-type'] ?? '', expected.type, told)
        for (const [name, pattern] of Object.entries(expected.has ?? {}))
          assert.match([headers[name] ?? ''].flat().join(' '), pattern, `${name} of ${told}`)
      }
    })
})

test('what a function revalidates is new for the visitors of every serving process', async () => {
  const { url } = await deployed(aloft, { name: 'revalidated', files: testApp('build-output') })
  // Each on a connection of its own, so that all processes are asked.
  const get = async () => {
    const { text } = await visit(aloft, url, { path: '/kept', headers: { connection: 'close' } })
    return /<time>(\d+)</.exec(text)?.[1] ?? assert.fail(text)
  }
  const everywhere = async () => new Set(await Promise.all(Array.from({ length: 12 }, get)))
  const [before] = await everywhere()
  assert.deepEqual(await everywhere(), new Set([before]))
  await visit(aloft, url, { path: '/kept?tag=others', method: 'POST' })
  assert.deepEqual(await everywhere(), new Set([before]))
  assert.equal((await visit(aloft, url, { path: '/kept?tag=stamps', method: 'POST' })).text, 'revalidated')
  // The others are told at once, which takes them a moment, and two may have made it new at the same time.
  let seen = await everywhere()
  while (seen.has(before as string) || seen.size > 1) seen = await everywhere()
})
