import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { type Header, pack } from 'tar-stream'
import { unpackTar } from '#builder/environment/toolchain/unpack-tar.ts'
import { backupEnd, tarEntry, tarHeader } from '#contract/backup/backup.ts'
import { restore } from '#src/process/data/restore.ts'
import { type Attacked, callApi, tried, useAttacked } from '#test/support/attacked.ts'

const sha1 = (text: string) => createHash('sha1').update(text).digest('hex')

describe('uploads that lie', () => {
  const attacked = useAttacked()

  test('about what is in them or how long they are', async (t) => {
    const upload = (body: string, headers: Record<string, string>) =>
      callApi(attacked(), 'POST /v2/platform/files', body, {
        'content-type': 'application/octet-stream',
        ...headers,
      })
    const lies: readonly Record<string, string>[] = [
      { 'x-platform-digest': sha1('other') },
      { 'x-platform-digest': '../../etc/passwd' },
      { 'x-platform-digest': '' },
      { 'x-platform-digest': sha1('content'), 'x-platform-size': '3' },
      { 'x-platform-digest': sha1('content'), 'x-platform-size': '-1' },
      { 'x-platform-digest': sha1('content'), 'x-platform-size': '1e9' },
      { 'x-platform-digest': sha1('content'), 'x-platform-size': '99999999999999999999' },
    ]
    for (const headers of lies) {
      const { status } = await upload('content', headers)
      assert.ok(status >= 400 && status < 500, `${JSON.stringify(headers)} ${status}`)
    }
    tried(t, lies.length)
  })

  test('about where they belong', async (t) => {
    const paths = [
      '../../etc/cron.d/x',
      '/etc/passwd',
      'a/../../x',
      'a//b',
      './x',
      'a/./b',
      'x\u0000.html',
      'a\\..\\..\\x',
      '..',
      '.',
      '',
      'a/'.repeat(3000),
      `${'x'.repeat(300)}.html`,
    ]
    for (const file of paths) {
      const { status, body } = await callApi(attacked(), 'POST /v8/platform/deployments', {
        version: 2,
        name: 'liar',
        files: [
          { file: 'index.html', data: 'x' },
          { file, data: 'x' },
        ],
      })
      if (status >= 400 && status < 500) continue
      // What is taken stays where it was put: below the site, under a name without a way out.
      const { body: tree } = await callApi(attacked(), `GET /v5/platform/deployments/${body.id}/files`)
      assert.doesNotMatch(JSON.stringify(tree), /"name":"(\.\.?|)"/, file)
    }
    tried(t, paths.length)
  })

  test('about being links', async (t) => {
    for (const target of ['/etc/passwd', '../../../../etc/passwd', '/proc/self/environ']) {
      const aloft: Attacked = attacked()
      const { status, body } = await callApi(aloft, 'POST /v8/platform/deployments', {
        version: 2,
        name: 'linked',
        files: [
          { file: 'index.html', data: 'x' },
          { file: 'link.txt', data: target, mode: 0o120777 },
        ],
      })
      if (status >= 400) continue
      const answer = await fetch(`${aloft.url}/link.txt`, { headers: { host: body.url } })
      assert.doesNotMatch(await answer.text(), /root:|ALOFT_/)
    }
    tried(t, 3)
  })
})

test('archives of packages write nowhere but where they belong', async (t) => {
  const outside = await mkdtemp(join(tmpdir(), 'aloft-lying-'))
  t.after(() => rm(outside, { recursive: true, force: true }))
  const folder = join(outside, 'in')
  const hostile: readonly (Partial<Header> & { name: string })[] = [
    { name: 'package/../../x' },
    { name: '/package/x' },
    { name: 'package//etc/x' },
    { name: '../package/x' },
    { name: 'package/a/../../../x' },
    { name: 'package/link', type: 'symlink', linkname: '../..' },
    { name: 'package/link/x' },
    { name: 'package/hard', type: 'link', linkname: '/etc/passwd' },
    { name: 'package/device', type: 'character-device' },
    { name: 'package/back\\..\\..\\x' },
    { name: 'package/./x' },
  ]
  for (const header of hostile) {
    const archive = pack()
    archive.entry(header as Header, header.type === undefined ? 'x' : '')
    archive.finalize()
    const bytes = await buffer(archive as unknown as Readable)
    const request = { place: (name: string) => join(folder, name), empty: async () => {} }
    await unpackTar(Readable.from([bytes]), request).catch(() => {})
    assert.deepEqual(
      (await readdir(outside)).filter((name) => name !== 'in'),
      [],
      header.name,
    )
  }
  tried(t, hostile.length)
})

test('backups that lie are restored by nobody', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-lying-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const key = Buffer.alloc(32, 1).toString('base64')
  const keyFile = join(folder, 'key')
  await writeFile(keyFile, key)
  const manifest = (more: object = {}) =>
    tarEntry(
      'manifest.json',
      Buffer.from(
        JSON.stringify({
          ...{
            format: 'aloft-backup',
            version: 1,
            aloft: 'x',
            createdAt: 0,
            database: 'sqlite',
            hasKey: false,
          },
          ...{
            main: { migrations: [], tables: [] },
            blobs: { count: 0, bytes: 0, missing: 0 },
            keyCheck: 'x',
          },
          ...more,
        }),
      ),
      0,
    )
  const sealed = (body: Buffer) =>
    Buffer.concat([
      body,
      backupEnd(
        { sha256: createHash('sha256').update(body).digest('hex'), bytes: body.length, missing: 0 },
        0,
      ),
    ])
  const hostile: Readonly<Record<string, Buffer>> = {
    'a path that leaves': sealed(Buffer.concat([manifest(), tarEntry('../../x', Buffer.from('x'), 0)])),
    'a table of its own': sealed(
      Buffer.concat([manifest(), tarEntry('main/x; drop/1.jsonl', Buffer.from('{}'), 0)]),
    ),
    'an entry that is longer than the file': sealed(
      Buffer.concat([manifest(), tarHeader('main/users/1.jsonl', 2 ** 40, 0)]),
    ),
    'a manifest that is longer than the file': sealed(tarHeader('manifest.json', 2 ** 33, 0)),
    'a manifest of nonsense': sealed(tarEntry('manifest.json', Buffer.from('[]'), 0)),
    'a manifest of null': sealed(tarEntry('manifest.json', Buffer.from('null'), 0)),
    'tables of nonsense': sealed(manifest({ main: null })),
    'steps of nonsense': sealed(manifest({ main: { migrations: 'x', tables: 1 } })),
    'no end': manifest(),
    nothing: Buffer.alloc(0),
  }
  for (const [what, bytes] of Object.entries(hostile)) {
    const file = join(folder, 'backup.tar')
    await writeFile(file, bytes)
    const dataDir = join(folder, 'data')
    const request = { file, dataDir, keyFile, force: false, env: {}, cwd: folder }
    await assert.rejects(restore(request), { name: 'RestoreError' }, what)
    assert.equal(existsSync(dataDir), false, what)
    assert.deepEqual((await readdir(folder)).sort(), ['backup.tar', 'key'], what)
  }
  tried(t, Object.keys(hostile).length)
})
