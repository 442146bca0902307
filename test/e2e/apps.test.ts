import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { deployed, visit } from '#test/support/deploying.ts'
import { type Installation, install, uninstall } from '#test/support/installation.ts'
import { APPS } from './apps.ts'

let aloft: Installation

before(async () => {
  aloft = await install()
})
after(async () => {
  await aloft.stop()
  await uninstall(aloft)
})

/** A comma-separated list of names, to try some of them by hand. */
const only = process.env.ONLY_APPS?.split(',')

for (const { name, files, shows } of APPS.filter((app) => only?.includes(app.name) ?? true))
  test(`${name} is built and answers`, async () => {
    const { url } = await deployed(aloft, { name, files, env: { GREETING: 'from the deployment' } })
    for (const expected of shows) {
      const { status, headers, text } = await visit(aloft, url, expected)
      const told = `${expected.method ?? 'GET'} ${expected.path}: ${status}\n${text.slice(0, 2000)}`
      assert.equal(status, expected.status ?? 200, told)
      assert.match(text.replaceAll('<!-- -->', ''), expected.holds, told)
      if (expected.type) assert.match(headers['content-type'] ?? '', expected.type)
    }
  })
