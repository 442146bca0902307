import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { apiSuite } from '#test/support/api-suite.ts'

const sha1 = (text: string) => createHash('sha1').update(text).digest('hex')

apiSuite('deployments of many files', (server) => {
  const deploy = (token: string, body: object) =>
    server.call('POST /v8/platform/deployments', { token, body: { name: 'many', version: 2, ...body } })
  const contents = (count: number, salt: string) => Array.from({ length: count }, (_, n) => `${salt} ${n}`)
  const inline = (texts: readonly string[]) =>
    texts.map((data, n) => ({ file: `folder-${n % 7}/file-${n}.txt`, data }))

  test('contents are stored before the transaction of the deployment, in which others would wait for them', async () => {
    const [holder, other] = [await server.signUp(), await server.signUp()]
    const alias = `taken-${holder.username}`
    const first = await deploy(holder.token, { files: inline(['x']), target: 'production', alias })
    assert.equal(first.status, 200)
    const texts = contents(5_000, other.id)
    const refused = await deploy(other.token, { files: inline(texts), target: 'production', alias })
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'alias_in_use'])
    // The transaction was undone, and what came before it is still there.
    const files = texts.map((text, n) => ({
      file: `${n}.txt`,
      sha: sha1(text),
      size: Buffer.byteLength(text),
    }))
    const made = await deploy(other.token, { files })
    assert.deepEqual([made.status, made.body.readyState], [200, 'READY'])
    const page = await server.visit(made.body.url, '/4999.txt')
    assert.equal(page.body, texts[4_999])
  })

  test('a mistake is named by its place in the whole list', async () => {
    const { token } = await server.signUp()
    const files: object[] = inline(contents(5_000, 'a'))
    files[4_321] = { file: 7, data: '' }
    const { status, body } = await deploy(token, { files })
    assert.equal(status, 400)
    assert.equal(body.error.message, 'Invalid request: `files[4321].file` should be a string.')
    assert.equal(body.error.dataPath, '.files[4321].file')
  })

  test('a large tree is sent whole, nested and in order, in every generation', async () => {
    const { token } = await server.signUp()
    const made = await deploy(token, { files: inline(contents(3_000, 'tree')) })
    for (const path of [
      `/v5/platform/deployments/${made.body.id}/files`,
      `/v2/platform/deployments/${made.body.id}/files`,
      `/platform/deployments/${made.body.id}/files`,
    ]) {
      const { body, headers } = await server.call(`GET ${path}`, { token })
      assert.match(headers.get('content-type') ?? '', /^application\/json/)
      assert.deepEqual(
        body.map(({ name, type }: Record<string, string>) => [name, type]),
        Array.from({ length: 7 }, (_, n) => [`folder-${n}`, 'directory']),
      )
      const names = body[3].children.map(({ name }: { name: string }) => name)
      assert.deepEqual(names, names.toSorted())
      assert.equal(names.length, 429)
      assert.equal('mode' in body[3].children[0], path.startsWith('/v'))
    }
  })
})
