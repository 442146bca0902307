import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { connectEngine } from '#adapters/docker/engine/engine.ts'
import { readEngineAddress } from '#adapters/docker/engine/engine-address.ts'
import { LABEL } from '#adapters/docker/labels.ts'
import { SwarmEngine } from '#adapters/swarm/swarm-engine.ts'
import { deployed, visit } from '#test/support/deploying.ts'
import {
  dockerMissing,
  startRegistry,
  startSwarm,
  type TestEngine,
  type TestRegistry,
} from '#test/support/docker/docker.ts'
import { imageOn, SAYS } from '#test/support/docker/swarm-site.ts'
import { freePort } from '#test/support/free-port.ts'
import { type Installation, install, makePlace, type Place, uninstall } from '#test/support/installation.ts'
import { inOwnNamespaces } from '#test/support/sandbox/own-namespaces.ts'
import {
  type SharedStores,
  sharedStoresMissing,
  startSharedStores,
} from '#test/support/storage/shared-stores.ts'

const skip = dockerMissing || (process.env.ALOFT_TEST_LONG === undefined && 'part of npm run test:swarm')
if (!skip) await inOwnNamespaces(import.meta.filename)

interface Operated {
  readonly checks: readonly { readonly name: string; readonly message: string }[]
}

async function swarmCheckOf({ url, token }: Installation): Promise<string | undefined> {
  const answer = await fetch(`${url}/v1/operator/status`, { headers: { authorization: `Bearer ${token}` } })
  const { checks } = (await answer.json()) as Operated
  return checks.find(({ name }) => name === 'swarm')?.message
}

describe('an installation on a swarm', { skip }, () => {
  let engine: TestEngine
  let registry: TestRegistry
  let aloft: Installation
  let host: string
  let swarm: SwarmEngine

  const services = async (): Promise<readonly string[]> =>
    (await swarm.services({ [LABEL.owner]: (await owners())[0] ?? '' })).map(({ ID }) => ID)
  const owners = async (): Promise<readonly string[]> => {
    const all = await swarm.services({})
    return all.flatMap(({ Spec }) => Spec.Labels?.[LABEL.owner] ?? [])
  }

  before(async () => {
    engine = await startSwarm()
    registry = await startRegistry()
    swarm = new SwarmEngine((await connectEngine(readEngineAddress(engine.host))).http)
    const ALOFT_IMAGE_PORT = String(await freePort())
    aloft = await install({
      env: { ALOFT_RUNTIME: 'swarm', DOCKER_HOST: engine.host, ALOFT_IMAGE_PORT, ALOFT_SANDBOX: 'off' },
    })
  })
  after(async () => {
    await aloft?.remove()
    await registry?.stop()
    await engine?.stop()
  })

  it('builds a deployment that is an image and answers from a service', async () => {
    const { url } = await deployed(aloft, { name: 'swarmed', files: imageOn(registry) })
    host = url
    assert.equal((await visit(aloft, host, { path: '/' })).text, SAYS)
    assert.notEqual((await services()).length, 0)
  })

  it('tells the operator how the swarm is', async () => {
    assert.equal(await swarmCheckOf(aloft), '1 of 1 nodes run deployments')
  })

  it('removes at its next start what it left when it was killed, and answers again', async () => {
    await aloft.stop('SIGKILL')
    const left = await services()
    assert.notEqual(left.length, 0)
    aloft = await aloft.restart()
    assert.equal((await visit(aloft, host, { path: '/' })).text, SAYS)
    while ((await services()).some((id) => left.includes(id))) await pause(100)
  })

  it('leaves no service when it stops', async () => {
    await aloft.stop()
    assert.deepEqual(await owners(), [])
  })
})

describe('machines on a swarm, of which one only serves', { skip: skip || sharedStoresMissing }, () => {
  let engine: TestEngine
  let registry: TestRegistry
  let stores: SharedStores
  let folder: string
  /** What the machine that serves takes for its engine, and all that it was asked for. */
  let decoy: Server
  const asked: string[] = []
  let serving: Installation
  let place: Place
  let working: Installation | undefined

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aloft-decoy-'))
    engine = await startSwarm()
    registry = await startRegistry()
    stores = await startSharedStores()
    decoy = createServer(({ method, url }, response) => {
      asked.push(`${method} ${url}`)
      response.writeHead(500).end('{"message":"nobody should ask"}')
    }).listen(join(folder, 'docker.sock'))
    await once(decoy, 'listening')
    const env = {
      ...stores.env,
      ALOFT_RUNTIME: 'swarm',
      ALOFT_SANDBOX: 'off',
      ALOFT_IMAGE_PORT: String(await freePort()),
    }
    serving = await install({
      env: { ...env, DOCKER_HOST: `unix://${folder}/docker.sock` },
      args: ['--role', 'serve'],
    })
    const ALOFT_CLUSTER_ADDRESS = `127.0.0.1:${await freePort()}`
    place = await makePlace({
      env: { ...env, DOCKER_HOST: engine.host, ALOFT_CLUSTER_ADDRESS },
      args: ['--role', 'work'],
    })
  })
  after(async () => {
    await working?.stop()
    await serving?.stop()
    for (const each of [place, serving]) if (each) await uninstall(each)
    await Promise.all([registry, engine, stores].map((each) => each?.stop()))
    decoy?.close()
    await rm(folder, { recursive: true, force: true })
  })

  it('builds images on the machine that works alone, and answers from there', async () => {
    const building = deployed(serving, { name: 'elsewhere', files: imageOn(registry) })
    working = await place.start()
    const { id, url } = await building
    assert.equal((await visit(serving, url, { path: '/' })).text, SAYS)
    const own = await connectEngine(readEngineAddress(engine.host))
    assert.equal((await own.images({ label: [`${LABEL.deployment}=${id}`] })).length, 1)
    assert.deepEqual(asked, [])
  })

  it('expects no engine of the machine that only serves', async () => {
    assert.equal(await swarmCheckOf(serving), undefined)
    assert.deepEqual(asked, [])
  })
})
