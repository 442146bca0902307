import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createWriteStream, existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { after, before, describe, test } from 'node:test'
import { run } from '#cli/run.ts'
import { END_BYTES, padding, readTarHeader, tarBytes } from '#contract/backup/backup.ts'
import { sealBackup } from '#contract/backup/sealed-backup.ts'
import { checkBackup, restore } from '#src/process/data/restore.ts'
import { workTree } from '#test/support/git/git.ts'
import { startServer } from '#test/support/server.ts'

interface Entry {
  readonly name: string
  readonly size: number
  readonly position: number
}

function entriesOf(archive: Buffer): Entry[] {
  const entries: Entry[] = []
  for (let position = 0; ; ) {
    const header = readTarHeader(archive.subarray(position, position + 512))
    if (header === undefined) return entries
    entries.push({ ...header, position })
    position += tarBytes(header.size)
  }
}

/** A copy with one bit of one byte changed. */
function flipped(archive: Buffer, at: number): Buffer {
  const copy = Buffer.from(archive)
  copy[at] = (copy[at] ?? 0) ^ 1
  return copy
}

/** Where in an entry a byte is changed: in its header, its content, and what fills its last block. */
const placesIn = ({ position, size }: Entry): readonly number[] => [
  position + 3,
  position + 512 + Math.floor(size / 2),
  ...(padding(size) > 0 ? [position + 512 + size + padding(size) - 1] : []),
]

const LARGE = 'large\n'.repeat(50_000)
const PASSPHRASE = 'correct horse battery staple'

describe('a backup with a damaged entry', () => {
  let folder: string
  let file: string
  let whole: Buffer
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aloft-damage-'))
    file = join(folder, 'saved.tar')
    const server = await startServer()
    try {
      const { token } = await server.operator()
      const files = [
        { file: 'index.html', data: '<h1>kept</h1>' },
        { file: 'large.txt', data: LARGE },
      ]
      const { body } = await server.call('POST /v8/platform/deployments', {
        token,
        body: { version: 2, name: 'kept', files },
      })
      await server.visit(new URL(`http://${body.url}`).hostname, '/')
      await server.flushLogs()
      const tree = await workTree({ after }, { 'index.html': 'pushed' })
      await tree.commit()
      await tree.must('clone', '-q', '--bare', tree.folder, join(server.dataDir, 'git', 'pushed.git'))
      const answer = await fetch(`${server.url}/v1/operator/backups?key=true&logs=true`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
      })
      assert.equal(answer.status, 200)
      await pipeline(Readable.fromWeb(answer.body as never), createWriteStream(file))
      whole = await readFile(file)
      assert.equal(answer.headers.get('x-aloft-backup-bytes'), String(whole.length))
    } finally {
      await server.close()
    }
  })
  after(() => rm(folder, { recursive: true, force: true }))

  test('has the checksum of every entry in it, for everybody to compare', async () => {
    const entries = entriesOf(whole)
    const list = entries.find(({ name }) => name === 'checksums.sha256') as Entry
    const text = whole.toString('utf8', list.position + 512, list.position + 512 + list.size)
    const others = entries.filter(({ name }) => name !== list.name && name !== 'end.json')
    const sums = others.map(({ name, position, size }) => {
      const content = whole.subarray(position + 512, position + 512 + size)
      return `${createHash('sha256').update(content).digest('hex')}  ${name}\n`
    })
    assert.equal(text, sums.join(''))
    for (const kind of [
      /^manifest\.json$/,
      /^master\.key$/,
      /^main\/users\//,
      /^logs\/log_/,
      /^blobs\//,
      /^git\/pushed\/HEAD$/,
      /^git\/pushed\/[0-9a-f]{2}\//,
    ])
      assert.ok(
        others.some(({ name }) => kind.test(name)),
        `${kind} is in it`,
      )
    const unpacked = await mkdtemp(join(folder, 'unpacked-'))
    execFileSync('tar', ['-xf', file, '-C', unpacked])
    execFileSync('sha256sum', ['--check', '--strict', '--quiet', list.name], { cwd: unpacked })
  })

  test('names it, wherever a byte of it was changed', async () => {
    const changed = join(folder, 'changed.tar')
    for (const entry of entriesOf(whole))
      for (const at of placesIn(entry)) {
        await writeFile(changed, flipped(whole, at))
        const { name } = entry
        await assert.rejects(
          checkBackup({ file: changed, cwd: folder }),
          {
            name: 'RestoreError',
            message: `The backup is damaged: ${name} does not match the checksum. Use another copy.`,
          },
          `${name}, byte ${at - entry.position} of it`,
        )
      }
    for (let back = 1; back < END_BYTES; back += 100) {
      await writeFile(changed, flipped(whole, whole.length - back))
      await assert.rejects(checkBackup({ file: changed, cwd: folder }), /end\.json|incomplete/, `${back}`)
    }
  })

  test('names all of them, and those whose headers cannot be read', async () => {
    const changed = join(folder, 'several.tar')
    const rows = entriesOf(whole).filter(({ name }) => name.startsWith('main/'))
    const [first, second, third, ...others] = rows as [Entry, Entry, Entry, ...Entry[]]
    const harmed = [first.position + 600, second.position + 1, third.position + 2].reduce(flipped, whole)
    await writeFile(changed, harmed)
    await assert.rejects(checkBackup({ file: changed, cwd: folder }), {
      message: `The backup is damaged: ${first.name}, ${second.name} and ${third.name} do not match the checksum. Use another copy.`,
    })
    await writeFile(
      changed,
      others.reduce((bytes, { position }) => flipped(bytes, position + 1), harmed),
    )
    await assert.rejects(checkBackup({ file: changed, cwd: folder }), / and \d+ more do not match/)
  })

  test('is restored by nobody: nothing is written, and the exit code is 1', async () => {
    const changed = join(folder, 'users.tar')
    const users = entriesOf(whole).find(({ name }) => name.startsWith('main/users/')) as Entry
    await writeFile(changed, flipped(whole, users.position + 520))
    const dataDir = join(folder, 'data')
    const said: string[] = []
    const aloft = (...argv: readonly string[]) =>
      run({
        argv: ['operator', 'restore', ...argv],
        ...{ env: {}, cwd: folder, stdin: new PassThrough() },
        stdout: new PassThrough().on('data', (bytes) => said.push(String(bytes))),
        stderr: new PassThrough().on('data', (bytes) => said.push(String(bytes))),
      })
    for (const how of [['--data-dir', dataDir], ['--check']]) {
      assert.equal(await aloft(changed, ...how), 1)
      assert.match(said.splice(0).join(''), new RegExp(`damaged: ${users.name} does not match`))
    }
    assert.equal(existsSync(dataDir), false)
    assert.equal(await aloft(file, '--check'), 0)
    assert.match(said.join(''), /saved\.tar is complete: \d+ rows and 2 file contents as of /)
  })

  test('under a passphrase names what lies in the piece that cannot be read', async () => {
    const cheap = { log2N: 4, r: 1, p: 1 }
    const pieces = await Readable.from(sealBackup(Readable.from([whole]), PASSPHRASE, cheap)).toArray()
    const sealed = Buffer.concat(pieces)
    const passphraseFile = join(folder, 'passphrase')
    await writeFile(passphraseFile, PASSPHRASE)
    const changed = join(folder, 'changed.tar.sealed')
    const check = (bytes: Buffer) =>
      writeFile(changed, bytes).then(() => checkBackup({ file: changed, passphraseFile, cwd: folder }))
    assert.ok((await check(sealed)).rows > 0)
    const large = entriesOf(whole).find(({ size }) => size === LARGE.length) as Entry
    // Of the large one alone: a piece has 64 KiB.
    await assert.rejects(check(flipped(sealed, large.position + 140_000)), {
      message: `The backup is damaged: ${large.name} does not match the checksum. Use another copy.`,
    })
    await assert.rejects(check(flipped(sealed, 2000)), /damaged: manifest\.json, .* do not match/)
    await assert.rejects(check(flipped(sealed, sealed.length - 3)), /damaged: end\.json does not match/)
    await assert.rejects(
      restore({
        file: changed,
        passphraseFile,
        dataDir: join(folder, 'data'),
        force: false,
        env: {},
        cwd: folder,
      }),
      /damaged/,
    )
    assert.equal(existsSync(join(folder, 'data')), false)
  })
})
