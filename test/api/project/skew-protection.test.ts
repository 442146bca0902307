import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR } from '#contract/time.ts'
import { apiSuite } from '#test/support/api-suite.ts'
import type { Account } from '#test/support/server.ts'

apiSuite('skew protection', (server) => {
  const deploy = async ({ token }: Account, name: string, text: string) => {
    const { status, body } = await server.call('POST /v8/platform/deployments', {
      token,
      body: { name, version: 2, target: 'production', files: [{ file: 'app.js', data: text }] },
    })
    assert.equal(status, 200, JSON.stringify(body))
    return body as { id: string; alias: readonly string[] }
  }
  const set = async ({ token }: Account, body: object) =>
    assert.equal((await server.call('PATCH /v9/projects/skew', { token, body })).status, 200)

  test('an earlier deployment is found by those whose page came from it, for as long as the project says', async () => {
    const ada = await server.signUp()
    const [old, foreign] = [await deploy(ada, 'skew', 'old'), await deploy(ada, 'other', 'foreign')]
    const { alias } = await deploy(ada, 'skew', 'new')
    const host = alias.find((name) => name.startsWith('skew.')) ?? alias.at(-1) ?? ''
    const get = async (id: string, how: 'query' | 'header' | 'cookie' = 'query') => {
      const path = how === 'query' ? `/app.js?dpl=${id}` : '/app.js'
      const headers: Record<string, string> =
        how === 'header' ? { 'x-deployment-id': id } : how === 'cookie' ? { cookie: `a=b; __vdpl=${id}` } : {}
      const { status, body } = await server.visit(host, path, headers)
      assert.equal(status, 200)
      return String(body)
    }
    assert.equal(await get(old.id), 'new', 'nobody asked for it')
    await set(ada, { skewProtectionMaxAge: 3600 })
    for (const how of ['query', 'header', 'cookie'] as const) assert.equal(await get(old.id, how), 'old')
    assert.equal(await get(foreign.id), 'new', 'of another project')
    assert.equal(await get('dpl_unknown'), 'new')
    assert.equal(await get('dpl_%27or%271'), 'new')
    await set(ada, { skewProtectionBoundaryAt: server.clock.now() })
    assert.equal(await get(old.id), 'new', 'made before what was left out')
    await set(ada, { skewProtectionBoundaryAt: 0 })
    assert.equal(await get(old.id), 'old')
    server.clock.advance(2 * HOUR)
    assert.equal(await get(old.id), 'new', 'too old')
  })

  test('a protected deployment is shown only where it has been for everybody, or where as much is asked', async () => {
    const ada = await server.signUp()
    const shown = async (name: string, target?: string) => {
      const { status, body } = await server.call('POST /v8/platform/deployments?forceNew=1', {
        token: ada.token,
        body: {
          ...{ name: 'walled', version: 2, files: [{ file: 'app.js', data: name }] },
          ...(target && { target }),
        },
      })
      assert.equal(status, 200, JSON.stringify(body))
      server.clock.advance(1)
      return body as { id: string; url: string; alias: readonly string[] }
    }
    const old = await shown('old', 'production')
    const { alias } = await shown('new', 'production')
    const [preview, other] = [await shown('preview'), await shown('other preview')]
    const host = alias.find((name) => name.startsWith('walled.')) ?? alias.at(-1) ?? ''
    const get = async (at: string, { id }: { id: string }) => {
      const { status, body } = await server.visit(at, `/app.js?dpl=${id}`)
      return status === 200 ? String(body) : status
    }
    const change = async (body: object) =>
      assert.equal((await server.call('PATCH /v9/projects/walled', { token: ada.token, body })).status, 200)
    await change({ skewProtectionMaxAge: 3600 })
    assert.equal(await get(host, preview), 'preview', 'it is open to everybody')
    for (const deploymentType of ['preview', 'prod_deployment_urls_and_all_previews']) {
      await change({ ssoProtection: { deploymentType } })
      assert.equal(await get(host, preview), 'new')
      assert.equal(await get(host, old), 'old', 'it was in production')
      assert.equal(await get(other.url, preview), 401)
    }
  })
})
