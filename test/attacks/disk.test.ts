import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { type Attacked, callApi, onlyShort, signUp, tried, useAttacked } from '#test/support/attacked.ts'
import { visit } from '#test/support/deploying.ts'
import type { Installation } from '#test/support/installation.ts'
import { sandboxMissing } from '#test/support/sandbox/sandbox.ts'
import { until } from '#test/support/until.ts'

/** GB: more than any file may have, and several that are allowed one by one. */
const CLAIMED = [20, 3, 3, 3, 3]

/** What a program gets of a folder: the bytes that it claims without writing them, and how many files it can make in one that has a size. */
const CLAIM = `const { spawnSync } = require('child_process'), { mkdirSync, writeFileSync, rmSync, statSync } = require('fs')
exports.claim = (folders, crowded) => {
  const got = { bytes: {}, files: {} }
  for (const folder of folders) {
    const files = ${JSON.stringify(CLAIMED)}.map((size, i) => ({ size, path: folder + '/claimed' + i }))
    for (const { size, path } of files) spawnSync('fallocate', ['-l', size + 'G', path])
    got.bytes[folder] = 0
    for (const { path } of files) try { got.bytes[folder] += statSync(path).blocks * 512; rmSync(path) } catch {}
  }
  for (const folder of crowded) {
    let made = 0
    try {
      mkdirSync(folder + '/crowd')
      for (; made < 1e6; made++) writeFileSync(folder + '/crowd/' + made, '')
    } catch {}
    got.files[folder] = made
    rmSync(folder + '/crowd', { recursive: true, force: true })
  }
  return got
}`

interface Got {
  readonly bytes: Readonly<Record<string, number>>
  readonly files: Readonly<Record<string, number>>
}

describe('a stranger who claims a disk and a million files', {
  skip: sandboxMissing || onlyShort,
}, () => {
  const attacked = useAttacked()
  let stranger: Attacked
  let neighbour: Attacked
  let site = ''
  before(async () => {
    const run = randomBytes(4).toString('hex')
    stranger = await signUp(attacked(), `claimant-${run}@aloft.test`)
    neighbour = await signUp(attacked(), `neighbour-${run}@aloft.test`)
    site = (await deploy(neighbour, 'small', { 'index.html': 'still here' })).url
  })

  const deploy = async (by: Attacked, name: string, files: Record<string, string>) => {
    const { status, body } = await callApi(by, 'POST /v8/platform/deployments', {
      ...{ version: 2, name, target: 'production' },
      files: Object.entries(files).map(([file, data]) => ({ file, data })),
    })
    assert.equal(status, 200, JSON.stringify(body))
    const done = () => callApi(by, `GET /v8/platform/deployments/${body.id}`)
    await until(async () => ['READY', 'ERROR'].includes((await done()).body.readyState))
    return { state: (await done()).body.readyState as string, id: body.id as string, url: body.url as string }
  }
  const ask = async (url: string, path: string) =>
    (await visit(attacked() as unknown as Installation, url, { path })).text

  /** Nothing was claimed that was not written, no more files than there is room for, and the neighbour goes on. */
  async function holds({ bytes, files }: Got) {
    for (const [folder, claimed] of Object.entries(bytes))
      assert.ok(claimed < 2 ** 20, `${claimed} in ${folder}`)
    for (const [folder, made] of Object.entries(files)) assert.ok(made < 500_000, `${made} in ${folder}`)
    assert.equal(await ask(site, '/'), 'still here')
    await deploy(neighbour, 'again', { 'index.html': randomBytes(2 ** 16).toString('hex') })
  }

  test('in a build', async (t) => {
    const { state, url } = await deploy(stranger, 'claiming-build', {
      'package.json': JSON.stringify({ scripts: { build: 'node build.js' } }),
      'claim.js': CLAIM,
      'build.js': `const got = require('./claim').claim(['.', '/tmp', '/dev/shm', '/var/tmp', process.env.HOME], ['/tmp', '/dev/shm'])
require('fs').mkdirSync('public')
require('fs').writeFileSync('public/got.json', JSON.stringify(got))`,
    })
    assert.equal(state, 'READY')
    await holds(JSON.parse(await ask(url, '/got.json')))
    tried(t, 7)
  })

  test('in a function, and in one that runs on a schedule', async (t) => {
    const { state, url } = await deploy(stranger, 'claiming-function', {
      'vercel.json': JSON.stringify({ crons: [{ path: '/api/claim', schedule: '0 0 1 1 *' }] }),
      'claim.js': CLAIM,
      'api/claim.js': `const { claim } = require('../claim')
module.exports = (_req, res) => {
  const got = claim([__dirname, '.', '/tmp', '/dev/shm', '/var/tmp', '/'], ['/tmp', '/dev/shm'])
  const most = Math.max(...Object.values(got.bytes))
  res.status(most < 2 ** 20 ? 200 : 500).json(got)
}`,
    })
    assert.equal(state, 'READY')
    await holds(JSON.parse(await ask(url, '/api/claim')))
    const crons = '/v1/projects/claiming-function/crons'
    const [cron] = (await callApi(stranger, `GET ${crons}`)).body.crons
    const run = await callApi(stranger, `POST ${crons}/${cron.id}/runs`)
    assert.equal(run.status, 202, JSON.stringify(run.body))
    let runs: readonly { readonly state: string }[] = []
    await until(async () => {
      runs = (await callApi(stranger, `GET ${crons}/${cron.id}/runs`)).body.runs
      return runs[0] !== undefined && runs[0].state !== 'running'
    })
    assert.equal(runs[0]?.state, 'succeeded')
    await holds({ bytes: {}, files: {} })
    tried(t, 16)
  })
})
