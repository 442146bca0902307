import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
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
import { Load } from '#test/support/http/load.ts'
import { assertNoneFailed, restartNow, statusOf } from '#test/support/http/restart-load.ts'
import { type Installation, install, uninstall } from '#test/support/installation.ts'
import { copyProgram } from '#test/support/program/program-copy.ts'
import { inOwnNamespaces } from '#test/support/sandbox/own-namespaces.ts'
import {
  type SharedStores,
  sharedStoresMissing,
  startSharedStores,
} from '#test/support/storage/shared-stores.ts'

const skip =
  dockerMissing ||
  (process.env.ALOFT_TEST_LONG === undefined && 'part of npm run test:swarm') ||
  sharedStoresMissing
if (!skip) await inOwnNamespaces(import.meta.filename)

/** What a working process opens at its start. */
const OPENED = 'src/adapters/swarm/open-swarm.ts'

describe('an upgrade of two machines on a swarm, one after the other', { skip }, () => {
  let engine: TestEngine
  let registry: TestRegistry
  let stores: SharedStores
  let folder: string
  let program: Awaited<ReturnType<typeof copyProgram>>
  let machines: readonly Installation[] = []
  let host: string

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aloft-program-'))
    program = await copyProgram(folder)
    engine = await startSwarm()
    registry = await startRegistry()
    stores = await startSharedStores()
    const env = {
      ...stores.env,
      ALOFT_RUNTIME: 'swarm',
      ALOFT_SANDBOX: 'off',
      ALOFT_RATE_LIMIT: '100000000',
      ALOFT_HANG_SECONDS: '120',
      ALOFT_IMAGE_PORT: String(await freePort()),
      DOCKER_HOST: engine.host,
    }
    const start = (role: string, own: Record<string, string>) =>
      install({
        env: { ...env, ...own },
        args: ['--role', role],
        program: [process.execPath, program.main],
      })
    const working = await start('all', { ALOFT_CLUSTER_ADDRESS: `127.0.0.1:${await freePort()}` })
    machines = [working]
    machines = [working, await start('serve', {})]
    host = (await deployed(working, { name: 'upgraded', files: imageOn(registry) })).url
    for (const machine of machines) assert.equal((await visit(machine, host, { path: '/' })).text, SAYS)
  })
  after(async () => {
    for (const machine of machines) await machine.stop()
    for (const machine of machines) await uninstall(machine)
    await Promise.all([registry, engine, stores].map((each) => each?.stop()))
    await rm(folder, { recursive: true, force: true })
  })

  /** Does something while visitors ask both machines; none of them may fail. */
  async function underLoad(act: () => Promise<void>): Promise<void> {
    const loads = machines.map(
      ({ port, tlsPort }) =>
        new Load({
          ...{ port, tlsPort, connections: 2, pauseMs: 20 },
          targets: [{ host, path: '/', expected: new RegExp(`^${SAYS}$`) }],
        }),
    )
    for (const load of loads) load.start()
    await Promise.all(loads.map((load) => load.more(20)))
    await act()
    await Promise.all(loads.map((load) => load.more(20)))
    for (const load of loads) {
      const result = await load.stop()
      process.stdout.write(
        `${result.answered} requests, the slowest took ${(result.slowestMs / 1000).toFixed(1)} s\n`,
      )
      assertNoneFailed(result)
    }
  }

  async function upgradeTo(version: string): Promise<void> {
    await program.upgrade(version)
    await underLoad(async () => {
      for (const machine of machines) await restartNow(machine)
    })
    for (const machine of machines) assert.equal((await statusOf(machine)).version, version)
  }

  const deploysAnother = async (name: string) => {
    const { url } = await deployed(machines[0] as Installation, { name, files: imageOn(registry) })
    for (const machine of machines) assert.equal((await visit(machine, url, { path: '/' })).text, SAYS)
  }

  it('fails no request, and images are built and run afterwards', async () => {
    await upgradeTo('9.9.1')
    await deploysAnother('after')
  })

  it('goes on with the version before where the next one cannot start', async () => {
    const file = join(folder, OPENED)
    const source = await readFile(file, 'utf8')
    await writeFile(file, source.replace('const node = nodeOf(info)', "throw new Error('not today')"))
    await program.upgrade('9.9.2')
    const [working] = machines as [Installation]
    await underLoad(async () => {
      const before = working.stderr().length
      process.kill(working.process.pid as number, 'SIGUSR2')
      while (!/nothing was restarted/.test(working.stderr().slice(before))) await pause(50)
      assert.match(working.stderr().slice(before), /not today/)
    })
    assert.equal((await statusOf(working)).version, '9.9.1')
    await deploysAnother('still')
    await writeFile(file, source)
  })

  it('goes back to the version before, and fails no request', async () => {
    await upgradeTo('9.9.0')
    await deploysAnother('back')
  })
})
