import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { type Attacked, callApi, onlyShort, signUp, tried, useAttacked } from '#test/support/attacked.ts'
import { visit } from '#test/support/deploying.ts'
import type { Installation } from '#test/support/installation.ts'

const FILES = 100_000
const READERS = 8
/** Whoever is held up until the end gets one answer, or two. */
const ANSWERS = 10

describe('a deployment of 100,000 files that are all in one request', { skip: onlyShort }, () => {
  const attacked = useAttacked()
  let stranger: Attacked
  let neighbour: Attacked
  let site = ''
  before(async () => {
    const run = randomBytes(4).toString('hex')
    stranger = await signUp(attacked(), `many-${run}@aloft.test`)
    neighbour = await signUp(attacked(), `neighbour-${run}@aloft.test`)
    const { status, body } = await create(neighbour, 'beside', [{ file: 'index.html', data: 'still here' }])
    assert.equal(status, 200, JSON.stringify(body))
    site = body.url
  })

  const create = (by: Attacked, name: string, files: readonly object[]) =>
    callApi(by, 'POST /v8/platform/deployments', { version: 2, name, files })

  /** How often a visitor of the neighbour's site, and the neighbour, are answered before it has ended. */
  async function answersDuring(work: Promise<unknown>) {
    let isOver = false
    void work.finally(() => {
      isOver = true
    })
    const counts = { site: 0, api: 0, deployments: 0 }
    const again = async (what: keyof typeof counts, ask: () => Promise<void>) => {
      while (!isOver) {
        await ask()
        if (!isOver) counts[what]++
      }
    }
    await Promise.all([
      work,
      again('site', async () => {
        const { text } = await visit(attacked() as unknown as Installation, site, { path: '/' })
        assert.equal(text, 'still here')
      }),
      again('api', async () => {
        assert.equal((await callApi(neighbour, 'GET /v2/user')).status, 200)
      }),
      again('deployments', async () => {
        const files = [{ file: 'index.html', data: randomBytes(20).toString('hex') }]
        assert.equal((await create(neighbour, 'beside-it', files)).status, 200)
      }),
    ])
    return counts
  }

  test('holds up neither the site nor the API of a neighbour, nor do those who read its tree', async (t) => {
    const files = Array.from({ length: FILES }, (_, n) => ({
      file: `${n % 300}/${n}.txt`,
      data: `text ${n}`,
    }))
    const creating = create(stranger, 'many', files)
    const whileCreating = await answersDuring(creating)
    const { status, body } = await creating
    assert.equal(status, 200, JSON.stringify(body).slice(0, 500))
    for (const [what, count] of Object.entries(whileCreating))
      assert.ok(count >= ANSWERS, `${count} answers of ${what} while it was created`)

    const read = async () => {
      const { status: read, body: tree } = await callApi(stranger, `GET /v6/deployments/${body.id}/files`)
      assert.deepEqual([read, tree.length], [200, 300])
    }
    const whileReading = await answersDuring(Promise.all(Array.from({ length: READERS }, read)))
    for (const [what, count] of Object.entries(whileReading))
      assert.ok(count >= ANSWERS, `${count} answers of ${what} while it was read`)
    t.diagnostic(JSON.stringify({ whileCreating, whileReading }))
    tried(t, 6)
  })
})
