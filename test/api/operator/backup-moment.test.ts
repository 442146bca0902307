import assert from 'node:assert/strict'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { describe, test } from 'node:test'
import { restore } from '#src/process/data/restore.ts'
import { eachDatabase } from '#test/support/database/databases.ts'
import { startServer, type TestServer } from '#test/support/server.ts'

const WRITERS = 4

/** What each writer has made, by the number of its step. */
async function stepsIn(server: TestServer, token: string): Promise<Set<string>> {
  const steps = new Set<string>()
  for (const [path, list] of [
    ['/v2/platform/secrets', 'secrets'],
    ['/v4/domains', 'domains'],
  ] as const)
    for (let until = ''; ; ) {
      const { body } = await server.call(`GET ${path}?limit=100${until}`, { token })
      for (const { name } of body[list] as { name: string }[]) steps.add(name.replace('.example', ''))
      if (body.pagination.next === null) break
      until = `&until=${body.pagination.next}`
    }
  return steps
}

eachDatabase((name, open) =>
  describe(`a backup of ${name} under load`, () => {
    test('is one exact moment: what came before it is in it, and nothing without what it followed', async (t) => {
      const server = await startServer({ databaseUrl: await open({ migrated: true }) })
      const folder = await mkdtemp(join(tmpdir(), 'aloft-moment-'))
      t.after(async () => {
        await server.close()
        await rm(folder, { recursive: true, force: true })
      })
      const operator = await server.operator()
      const { token } = await server.signUp()
      let done = false
      const acknowledged = Array.from({ length: WRITERS }, () => 0)
      /** A secret, then a domain, then a secret: in two tables, one after the other. */
      const write = async (writer: number) => {
        for (let n = 0; !done; n++) {
          const step = `w${writer}-${n}`
          const [on, body] =
            n % 2 === 0
              ? (['POST /v2/platform/secrets', { name: step, value: 'x' }] as const)
              : (['POST /v4/domains', { name: `${step}.example` }] as const)
          const { status } = await server.call(on, { token, body })
          assert.equal(status, 200)
          acknowledged[writer] = n + 1
        }
      }
      const writers = acknowledged.map((_, writer) => write(writer))
      while (acknowledged.some((count) => count < 5)) await new Promise(setImmediate)

      const before = [...acknowledged]
      const answer = await fetch(`${server.url}/v1/operator/backups?key=true`, {
        method: 'POST',
        headers: { authorization: `Bearer ${operator.token}` },
      })
      assert.equal(answer.status, 200)
      const file = join(folder, 'saved.tar')
      await pipeline(Readable.fromWeb(answer.body as never), createWriteStream(file))
      const after = [...acknowledged]
      done = true
      await Promise.all(writers)

      const dataDir = join(folder, 'restored')
      await restore({ file, dataDir, force: false, env: {}, cwd: folder })
      const again = await startServer({ env: { ALOFT_DATA_DIR: dataDir } })
      try {
        const steps = await stepsIn(again, token)
        for (const writer of before.keys()) {
          let count = 0
          while (steps.has(`w${writer}-${count}`)) count++
          const all = [...steps].filter((step) => step.startsWith(`w${writer}-`)).length
          assert.equal(all, count, `writer ${writer}: step ${count} is missing, and later ones are there`)
          assert.ok(count >= (before[writer] ?? 0), 'all that was acknowledged before is there')
          assert.ok(count <= (after[writer] ?? 0) + 1, 'nothing from after the end is there')
        }
      } finally {
        await again.close()
      }
    })
  }),
)
