import assert from 'node:assert/strict'
import { it } from 'node:test'
import { LABEL } from '#adapters/docker/labels.ts'
import { openSwarm } from '#adapters/swarm/open-swarm.ts'
import { SwarmEngine } from '#adapters/swarm/swarm-engine.ts'
import { dockerMissing, startEngine, startSwarm } from '#test/support/docker/docker.ts'
import { openPrograms } from '#test/support/docker/docker-programs.ts'
import { freePort } from '#test/support/free-port.ts'
import { inOwnNamespaces } from '#test/support/sandbox/own-namespaces.ts'
import { describeImagePrograms, type ImageGround } from './image-programs-suite.ts'

const skip = dockerMissing || (process.env.ALOFT_TEST_LONG === undefined && 'part of npm run test:swarm')
if (!skip) await inOwnNamespaces(import.meta.filename)

/** One for each data folder, whoever opens it. */
const ports = new Map<string, Promise<number>>()

const ground: ImageGround = {
  ...{ name: 'a Docker Swarm', skip, start: startSwarm },
  async open(options) {
    const { folder } = options
    if (!ports.has(folder)) ports.set(folder, freePort())
    const imagePort = (await ports.get(folder)) ?? 0
    return openSwarm({ ...options, machine: 'machine-1', secret: folder, imagePort })
  },
  lacks: /step of a build|ONBUILD|swap out|new privileges/,
  // Services of an engine this old cannot ask for it.
  hasNoNewPrivileges: false,
  unmeasured: 'it may run on another machine',
  left: async ({ http }) => (await new SwarmEngine(http).services({})).map(({ Spec }) => Spec.Name),
}

describeImagePrograms(ground, (bench) => {
  it('removes the services of processes that are gone, and only those', async (t) => {
    const { engine, programs, answering } = bench()
    const swarm = new SwarmEngine(engine.http)
    const running = await programs.run(answering)
    t.after(() => running.end())
    await running.first()
    const [theirs] = await swarm.services({ [LABEL.deployment]: 'dpl_1' })
    const Labels = { ...theirs?.Spec.Labels, [LABEL.process]: `${process.pid}.1` }
    const left = await swarm.createService({ ...theirs?.Spec, Name: 'left', Labels }, '')
    const second = await programs.open()
    assert.deepEqual(
      (await swarm.services({ [LABEL.deployment]: 'dpl_1' })).map(({ ID }) => ID),
      [theirs?.ID],
      left,
    )
    await second.close()
    assert.match(await running.get('/x'), /"port":"3000"/)
  })

  it('tells of an engine that is no node of a swarm', async (t) => {
    const alone = await startEngine()
    t.after(() => alone.stop())
    await assert.rejects(
      openPrograms(alone.host, {}, {}, ground.open),
      /no node of a swarm.*docker swarm init/,
    )
  })
})
