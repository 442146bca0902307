import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { findChromium } from '#adapters/screenshots-chromium/find-chromium.ts'
import { withoutChromium } from '#test/support/browser/chromium.ts'
import { deployed, visit } from '#test/support/deploying.ts'
import { createDnsClient } from '#test/support/dns/dns-client.ts'
import { freePort } from '#test/support/free-port.ts'
import { workTree } from '#test/support/git/git.ts'
import { type Installation, install, uninstall } from '#test/support/installation.ts'
import {
  type SharedStores,
  sharedStoresMissing,
  startSharedStores,
} from '#test/support/storage/shared-stores.ts'

const skip = sharedStoresMissing
/** `npm run test:cluster` takes more away, and for longer. */
const isLong = process.env.ALOFT_TEST_LONG === '1'
const inLong = { skip: !isLong && 'part of npm run test:cluster' }
const ABSENCE_MS = 60_000
/** Only the long run takes screenshots; else previews are icons, which are stored the same way. */
const chromium = isLong && !withoutChromium ? await findChromium() : undefined

/** Machines of one installation: two that serve, two that work, each of either in a region of its own; none has a disk in common with another. */
let stores: SharedStores
let serving: [Installation, Installation]
let working: [Installation, Installation]
const dnsPorts: number[] = []

before(async () => {
  if (skip) return
  stores = await startSharedStores()
  const env = {
    ...stores.env,
    ALOFT_WORKERS: '1',
    ALOFT_DOMAIN: 'cluster.test',
    ALOFT_DNS_NETWORKS: '127.0.0.0/8=hnd1',
  }
  const serve = async (origin: string, address: string) => {
    const own = { ALOFT_ORIGIN: origin, ALOFT_PUBLIC_ADDRESSES: address }
    const port = await freePort()
    dnsPorts.push(port)
    return install({ env: { ...env, ...own, ALOFT_DNS_PORT: String(port) }, args: ['--role', 'serve'] })
  }
  /** The others find one of them by its address, the other by its name. */
  const work = async (origin: string, host: string) =>
    install({
      env: {
        ...{ ...env, ALOFT_ORIGIN: origin, ALOFT_CLUSTER_ADDRESS: `${host}:${await freePort()}` },
        ...(chromium === undefined ? {} : { ALOFT_CHROMIUM: chromium }),
      },
      args: ['--role', 'work'],
    })
  const first = await serve('iad1', '192.0.2.1')
  serving = [first, await serve('hnd1', '192.0.2.2')]
  working = [await work('iad1', '127.0.0.1'), await work('hnd1', 'localhost')]
})

after(async () => {
  for (const machine of [...(serving ?? []), ...(working ?? [])]) {
    if (machine.process.exitCode === null && machine.process.signalCode === null)
      await machine.stop('SIGKILL')
    await uninstall(machine)
  }
  await stores?.stop()
})

const call = async (at: Installation, path: string, method = 'GET', body?: object) => {
  const answer = await fetch(`${at.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${at.token}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

/** Asks again and again until it is stopped; tells what went wrong and the longest time without a right answer. */
function keepAsking(ask: () => Promise<boolean>) {
  let isOver = false
  let requests = 0
  let failed = 0
  let longest = 0
  const asking = (async () => {
    let right = performance.now()
    while (!isOver) {
      requests += 1
      const isRight = await ask().catch(() => false)
      const now = performance.now()
      if (isRight) {
        longest = Math.max(longest, now - right)
        right = now
      } else failed += 1
      await pause(5)
    }
  })()
  return async () => {
    isOver = true
    await asking
    return { requests, failed, longest: Math.round(longest) }
  }
}

const until = async (what: string, isSo: () => Promise<boolean>) => {
  const end = performance.now() + 60_000
  while (!(await isSo().catch(() => false))) {
    assert.ok(performance.now() < end, `never: ${what}`)
    await pause(50)
  }
}

test('a cluster of four machines', { skip }, async (t) => {
  const [one, two] = serving
  const files = (text: string) => ({
    'index.html': text,
    'large.txt': text.repeat(50_000),
    'api/where.js': `module.exports = (req, res) => res.end(process.env.TEXT + ' ' + process.env.PLATFORM_REGION)\n`,
  })
  const first = await deployed(one, { name: 'site', files: files('first'), env: { TEXT: 'first' } })
  const page = async (at: Installation, host: string) => (await visit(at, host, { path: '/' })).text
  const call1 = async (at: Installation) => {
    const { status, text } = await visit(at, first.url, { path: '/api/where' })
    return status === 200 && text.startsWith('first')
  }

  await t.test('each shows what was deployed on another, its contents and its functions', async () => {
    for (const machine of serving) {
      assert.equal(await page(machine, first.url), 'first')
      assert.equal((await visit(machine, first.url, { path: '/large.txt' })).text.length, 250_000)
      const { status, text } = await visit(machine, first.url, { path: '/api/where' })
      assert.deepEqual([status, text], [200, 'first iad1'])
    }
  })

  await t.test(
    'functions run in the regions of their deployment, and those that always run in all of them',
    async () => {
      const there = { name: 'there', files: files('there'), env: { TEXT: 'there' } }
      const far = await deployed(one, { ...there, regions: ['hnd1'] })
      for (const machine of serving)
        assert.equal((await visit(machine, far.url, { path: '/api/where' })).text, 'there hnd1')
      const both = await deployed(two, { ...there, name: 'both', regions: ['hnd1', 'iad1', 'sfo1'] })
      const { body: builds } = await call(one, `/v5/platform/deployments/${both.id}/builds`)
      assert.deepEqual((builds.builds as { deployedTo: unknown }[])[0]?.deployedTo, ['hnd1', 'iad1'])
      const path = `/v1/platform/deployments/${both.id}/instances`
      // Only what runs can be told how many there should be.
      await visit(two, both.url, { path: '/api/where' })
      await until(
        'it is told to always run',
        async () => (await call(one, path, 'POST', { min: 2, max: 4 })).status === 200,
      )
      const regions = async () => {
        const { instances } = (await call(two, path)).body as { instances: { url: string }[] }
        const texts = await Promise.all(instances.map(({ url }) => visit(two, url, { path: '/api/where' })))
        return texts.map(({ text }) => text).toSorted()
      }
      const spread = ['there hnd1', 'there iad1']
      await until(
        'one in each region',
        async () => JSON.stringify(await regions()) === JSON.stringify(spread),
      )
    },
  )

  await t.test('all of them are listed', async () => {
    const { body } = await call(two, '/v1/operator/machines')
    const machines = body.machines as readonly { role: string; isAlive: boolean; address: string | null }[]
    assert.deepEqual(
      machines.map(({ role, isAlive, address }) => `${role} ${isAlive} ${address !== null}`).toSorted(),
      ['serve true false', 'serve true false', 'work true true', 'work true true'],
    )
  })

  /** What the DNS of a serving machine says to somebody near hnd1. */
  const named = async (server: 0 | 1, name: string) => {
    const client = await createDnsClient(dnsPorts[server] as number)
    try {
      const { packet } = await client.ask({ name, type: 'A' })
      return (packet.answers ?? []).map((answer) => ('data' in answer ? String(answer.data) : '')).toSorted()
    } finally {
      await client.close()
    }
  }
  const isNamed = (server: 0 | 1, name: string, ...addresses: string[]) =>
    until(`${name} leads to ${addresses}`, async () => `${await named(server, name)}` === `${addresses}`)

  await t.test('DNS names the nearest machines, and others while those are to be left alone', async () => {
    for (const server of [0, 1] as const) {
      await isNamed(server, 'shop.cluster.test', '192.0.2.2')
      await isNamed(server, 'api-iad1.cluster.test', '192.0.2.1')
      await isNamed(server, 'ns1.cluster.test', '192.0.2.1', '192.0.2.2')
    }
    const { body } = await call(two, '/v1/operator/machines')
    const machines = body.machines as readonly { name: string; origin: string; role: string }[]
    const near = machines.find(({ role, origin }) => role === 'serve' && origin === 'hnd1')
    const drain = (draining: boolean) =>
      call(one, `/v1/operator/machines/${near?.name}`, 'PATCH', { draining })
    assert.equal((await drain(true)).status, 200)
    await isNamed(0, 'shop.cluster.test', '192.0.2.1')
    assert.equal((await drain(false)).status, 200)
    await isNamed(0, 'shop.cluster.test', '192.0.2.2')
  })

  await t.test('a name that moves moves on all of them', async () => {
    const host = 'cluster-name.cluster.test'
    const second = await deployed(two, { name: 'site', files: { 'index.html': 'second' } })
    const point = (id: string, at: Installation) =>
      call(at, `/v2/platform/deployments/${id}/aliases`, 'POST', { alias: host })
    assert.equal((await point(first.id, one)).status, 200)
    await until('the name is there', async () => (await page(two, host)) === 'first')
    let longest = 0
    for (let round = 0; round < 6; round += 1) {
      const [id, text] = round % 2 === 0 ? [second.id, 'second'] : [first.id, 'first']
      assert.equal((await point(id, round % 3 === 0 ? one : two)).status, 200)
      const moved = performance.now()
      for (const machine of serving)
        await until('the name moves', async () => (await page(machine, host)) === text)
      longest = Math.max(longest, performance.now() - moved)
    }
    t.diagnostic(`longest disagreement on a name: ${Math.round(longest)} ms`)
  })

  await t.test('what is pushed to one machine is built on another and cloned from any', async (t2) => {
    const desk = await workTree(t2, { 'index.html': 'pushed', 'api/where.js': files('')['api/where.js'] })
    const remote = ({ port, token }: Installation) =>
      `http://x:${token}@127.0.0.1:${port}/git/operator/pushed.git`
    const first = await desk.commit()
    assert.match((await desk.git('push', remote(one), 'main')).said, /Ready|READY|https?:\/\//)
    const { body: project } = await call(two, '/v1/projects/pushed')
    assert.ok(project.id, JSON.stringify(project))
    /** Of its deployments, the newest first. */
    const createdIn = async () => {
      const { body } = await call(two, `/v3/platform/deployments?projectId=${project.id}`)
      const ids = (body.deployments as { uid: string }[]).map(({ uid }) => uid)
      const all = await Promise.all(ids.map((id) => call(one, `/v8/platform/deployments/${id}`)))
      return all.map(({ body: deployment }) => deployment.createdIn)
    }
    assert.deepEqual(await createdIn(), ['iad1'])
    await until('it is shown', async () => (await page(two, 'pushed.cluster.test')) === 'pushed')
    assert.match(await desk.must('ls-remote', remote(two), 'main'), new RegExp(`^${first}\\s`))
    await desk.write('index.html', 'pushed again')
    const second = await desk.commit()
    await desk.must('push', '-q', remote(two), 'main')
    assert.match(await desk.must('ls-remote', remote(one), 'main'), new RegExp(`^${second}\\s`))
    await until('the second is deployed', async () => (await createdIn()).length === 2)
    assert.deepEqual(await createdIn(), ['hnd1', 'iad1'])
    await desk.must('clone', '-q', remote(one), 'copy')
    assert.equal(await readFile(join(desk.folder, 'copy/index.html'), 'utf8'), 'pushed again')
  })

  await t.test('a preview that one machine makes is shown by the others', async () => {
    // No file of the deployment: only whoever makes the preview puts it anywhere.
    const icon = encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg"><circle r="9"/></svg>')
    const { id } = await deployed(one, {
      ...{ name: 'seen', target: 'production' },
      files: { 'index.html': `<!doctype html><link rel="icon" href="data:image/svg+xml,${icon}">` },
    })
    const preview = async (at: Installation) => {
      const answer = await fetch(`${at.url}/v1/deployments/${id}/preview`, {
        headers: { authorization: `Bearer ${at.token}` },
      })
      const { status, headers } = answer
      return { status, headers, bytes: Buffer.from(await answer.arrayBuffer()) }
    }
    await until('it is made', async () => (await preview(two)).status === 200)
    // Made by a machine that works; those that serve have it from the object store, for no disk is common to two machines.
    for (const machine of serving) {
      const { status, headers, bytes } = await preview(machine)
      assert.deepEqual([status, headers.get('etag')], [200, `"${hash('sha256', bytes)}"`])
      assert.match(headers.get('content-type') ?? '', /^image\//)
      assert.equal(headers.get('x-aloft-preview'), chromium === undefined ? 'icon' : 'screenshot')
    }
  })

  await t.test('a machine that works is lost: functions go on', async () => {
    const stop = keepAsking(() => call1(two))
    await pause(300)
    const [lost] = working
    await lost.kill()
    await pause(6_000)
    const { requests, failed, longest } = await stop()
    t.diagnostic(`a working machine lost: ${failed} of ${requests} failed, longest wait ${longest} ms`)
    assert.ok(await call1(two))
    assert.ok(await call1(one))
    assert.ok(failed <= 5, `${failed} of ${requests} failed`)
    await until('its log says why it runs elsewhere', async () => {
      const answer = await fetch(`${two.url}/v2/platform/deployments/${first.id}/events`, {
        headers: { authorization: `Bearer ${two.token}` },
      })
      return /runs in hnd1: no machine was available in iad1/.test(await answer.text())
    })
  })

  await t.test('a machine that is removed is forgotten, and does not start again', async () => {
    const [lost] = working
    const name = (await readFile(join(lost.folder, 'data/machine-name'), 'utf8')).trim()
    assert.equal((await call(one, `/v1/operator/machines/${name}`, 'DELETE')).status, 200)
    const { body } = await call(two, '/v1/operator/machines')
    const machines = body.machines as readonly { name: string }[]
    assert.ok(machines.length > 0 && !machines.some((machine) => machine.name === name))
    await assert.rejects(lost.restart(), /This machine was removed from the installation/)
  })

  await t.test(
    'the object store is away: what is known is served, uploads are refused in words',
    inLong,
    async () => {
      const stop = keepAsking(async () => (await page(two, first.url)) === 'first')
      stores.s3.freeze()
      const upload = call(one, '/v8/platform/deployments', 'POST', {
        ...{ version: 2, name: 'refused' },
        files: [{ file: 'index.html', data: `new ${Math.random()}` }],
      })
      await pause(ABSENCE_MS)
      const { requests, failed } = await stop()
      t.diagnostic(`object store away for ${ABSENCE_MS} ms: ${failed} of ${requests} failed`)
      assert.equal(failed, 0)
      stores.s3.thaw()
      const { status } = await upload
      assert.ok(status === 200 || status === 503, `${status}`)
      await deployed(one, { name: 'after', files: { 'index.html': 'after' } })
    },
  )

  await t.test('Redis is lost and comes back: nothing fails', inLong, async () => {
    const stop = keepAsking(async () => (await page(two, first.url)) === 'first')
    await stores.redis.kill()
    await pause(500)
    await stores.redis.restart()
    await pause(500)
    const { requests, failed } = await stop()
    t.diagnostic(`Redis lost: ${failed} of ${requests} failed`)
    assert.equal(failed, 0)
  })

  await t.test('a machine that serves is lost: the other does not notice', inLong, async () => {
    const stop = keepAsking(async () => (await page(two, first.url)) === 'first' && (await call1(two)))
    await one.kill()
    await pause(1_000)
    const { requests, failed } = await stop()
    t.diagnostic(`a serving machine lost: ${failed} of ${requests} failed on the other`)
    assert.equal(failed, 0)
    const lost = performance.now()
    await isNamed(1, 'ns1.cluster.test', '192.0.2.2')
    t.diagnostic(`DNS leaves it out ${Math.round(performance.now() - lost + 1_000)} ms after it was lost`)
  })

  await t.test(
    'a machine that is drained takes no jobs, and its functions are used while there are no others',
    inLong,
    async () => {
      const { body } = await call(two, '/v1/operator/machines')
      const machines = body.machines as readonly { name: string; role: string; isAlive: boolean }[]
      const left = machines.find(({ role, isAlive }) => role === 'work' && isAlive)
      assert.ok(left)
      const drained = await call(two, `/v1/operator/machines/${left.name}`, 'PATCH', { draining: true })
      assert.equal(drained.status, 200)
      await pause(1_500)
      const { body: made } = await call(two, '/v8/platform/deployments', 'POST', {
        ...{ version: 2, name: 'waits' },
        files: Object.entries(files('third')).map(([file, data]) => ({ file, data })),
      })
      const stateOf = async () => (await call(two, `/v8/platform/deployments/${made.id}`)).body.readyState
      await pause(1_500)
      assert.notEqual(await stateOf(), 'READY')
      await call(two, `/v1/operator/machines/${left.name}`, 'PATCH', { draining: false })
      await until('the build ends', async () => (await stateOf()) === 'READY')
    },
  )

  await t.test('a machine that is removed while it runs ends by itself', inLong, async () => {
    const [, left] = working
    const name = (await readFile(join(left.folder, 'data/machine-name'), 'utf8')).trim()
    const ended = once(left.process, 'exit')
    assert.equal((await call(two, `/v1/operator/machines/${name}`, 'DELETE')).status, 200)
    const [code] = await ended
    assert.equal(code, 0)
    assert.match(left.stderr() + left.stdout(), /was removed from the installation/)
  })
})
