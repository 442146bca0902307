import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { connectEngine } from '#adapters/docker/engine.ts'
import { readEngineAddress } from '#adapters/docker/engine-address.ts'
import { LABEL } from '#adapters/docker/labels.ts'
import { SwarmEngine } from '#adapters/swarm/swarm-engine.ts'
import { deployed, visit } from '#test/support/deploying.ts'
import {
  dockerMissing,
  startRegistry,
  startSwarm,
  type TestEngine,
  type TestRegistry,
} from '#test/support/docker.ts'
import { freePort, type Installation, install, uninstall } from '#test/support/installation.ts'
import { inOwnNamespaces } from '#test/support/sandbox/own-namespaces.ts'

const skip = dockerMissing || (process.env.ALOFT_TEST_LONG === undefined && 'part of npm run test:swarm')
if (!skip) await inOwnNamespaces(import.meta.filename)

const SERVER = `
const server = require('node:http').createServer((request, response) => response.end('from a swarm'))
server.listen(Number(process.env.PORT))
`

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
    await aloft?.stop()
    if (aloft) await uninstall(aloft)
    await registry?.stop()
    await engine?.stop()
  })

  it('builds a deployment that is an image and answers from a service', async () => {
    const Dockerfile = `FROM ${registry.base}\nCOPY program.txt /app/program.cjs\nCMD ["node", "/app/program.cjs"]\n`
    const { url } = await deployed(aloft, { name: 'swarmed', files: { Dockerfile, 'program.txt': SERVER } })
    host = url
    assert.equal((await visit(aloft, host, { path: '/' })).text, 'from a swarm')
    assert.notEqual((await services()).length, 0)
  })

  it('tells the operator how the swarm is', async () => {
    const headers = { authorization: `Bearer ${aloft.token}` }
    const answer = await fetch(`${aloft.url}/v1/operator/status`, { headers })
    const { checks } = (await answer.json()) as { checks: { name: string; message: string }[] }
    const check = checks.find(({ name }) => name === 'swarm')
    assert.equal(check?.message, '1 of 1 nodes run deployments')
  })

  it('removes at its next start what it left when it was killed, and answers again', async () => {
    const before = await services()
    await aloft.stop('SIGKILL')
    assert.deepEqual(await services(), before)
    aloft = await aloft.restart()
    assert.equal((await visit(aloft, host, { path: '/' })).text, 'from a swarm')
    while ((await services()).some((id) => before.includes(id))) await pause(100)
  })

  it('leaves no service when it stops', async () => {
    await aloft.stop()
    assert.deepEqual(await owners(), [])
  })
})
