import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import type { DockerOptions } from '#adapters/docker/open-docker.ts'
import { connectToPeer } from '#adapters/runner-process/peer/peer-connections.ts'
import { openPeerGateway, type PeerIdentity } from '#adapters/runner-process/peer/peer-gateway.ts'
import { openSwarm, type Swarm } from '#adapters/swarm/open-swarm.ts'
import type { Program } from '#core/output/output.ts'
import { startRegistry } from '#test/support/docker/docker.ts'
import { type DockerPrograms, openPrograms, type Running } from '#test/support/docker/docker-programs.ts'
import { silentLog } from '#test/support/silent-log.ts'

/**
 * A machine of an installation on a swarm, as far as programs that are images go: what runs them, and the gateway for the
 * other machines. It does what its parent says, one line of JSON after the other.
 */
export interface MachineSettings {
  readonly name: string
  /** Its address among the machines. */
  readonly host: string
  readonly docker: string
  readonly secret: string
  readonly identity: PeerIdentity
  readonly others: readonly { readonly name: string; readonly host: string }[]
}

export type MachineCall =
  | { readonly do: 'build' }
  | { readonly do: 'run' }
  | { readonly do: 'get'; readonly n: number; readonly path: string }
  | { readonly do: 'alive'; readonly names: readonly string[]; readonly draining: readonly string[] }
  | { readonly do: 'close' }

const GATEWAY_PORT = 3500
const IMAGE_PORT = 3550

const SERVER = `
const { createServer } = require('node:http')
createServer((request, response) => response.end('from ' + process.env.HOSTNAME)).listen(Number(process.env.PORT))
console.log('listening')
`

/**
 * As visitors are served: what an instance has not read is sent again, and so is what it has read where its node is lost,
 * four times at most.
 */
async function getAsVisitor(running: Running, path: string): Promise<string> {
  for (let attempt = 1; ; attempt++)
    try {
      return await running.get(path)
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      const isUnread = ['EPIPE', 'ECONNRESET'].includes(code) && !/hang up/.test(String(error))
      if (attempt === 4 || !(isUnread || (await running.wasLost()))) throw error
    }
}

async function begin(settings: MachineSettings): Promise<void> {
  const { name, host, docker, secret, identity, others } = settings
  let alive: readonly string[] = others.map((other) => other.name)
  let draining: readonly string[] = []
  const listeners = new Set<() => void>()
  setInterval(() => {
    for (const listener of listeners) listener()
  }, 500).unref()
  const connect = (machine: string, offer: string): Socket => {
    const other = others.find((each) => each.name === machine && alive.includes(machine))
    return connectToPeer(
      { name: machine, host: other?.host ?? '127.0.0.1', port: other ? GATEWAY_PORT : 0 },
      identity,
      {
        offer,
      },
    )
  }
  let swarm: Swarm | undefined
  const opening = async (options: DockerOptions) => {
    swarm = await openSwarm({
      ...{ ...options, machine: name, secret, imagePort: IMAGE_PORT },
      peers: {
        list: () =>
          others
            .filter((other) => alive.includes(other.name))
            .map((other) => ({ name: other.name, isDraining: draining.includes(other.name) })),
        connect,
        isDraining: () => draining.includes(name),
        onLook(listener) {
          listeners.add(listener)
          return () => listeners.delete(listener)
        },
      },
    })
    return swarm
  }
  const programs: DockerPrograms = await openPrograms(docker, {}, {}, opening)
  const gateway = await openPeerGateway({
    ...{
      identity,
      host,
      port: GATEWAY_PORT,
      log: silentLog,
      offers: (swarm as Swarm | undefined)?.offers ?? {},
    },
    runnerSocket: '/nowhere',
    isInstance: () => false,
    isRemoved: () => false,
  })
  let program: Program | undefined
  const running: Running[] = []

  async function carryOut(call: MachineCall): Promise<unknown> {
    switch (call.do) {
      case 'build': {
        const registry = await startRegistry()
        const Dockerfile = `FROM ${registry.base}\nCOPY server.js /app/\nCMD ["node", "/app/server.js"]`
        program = (await programs.build({ Dockerfile, 'server.js': SERVER })).program
        await registry.stop()
        return undefined
      }
      case 'run': {
        const one = await programs.run(program as Program)
        const first = await one.first()
        running.push(one)
        return { ...first, n: running.length - 1 }
      }
      case 'get':
        return getAsVisitor(running[call.n] as Running, call.path)
      case 'alive':
        alive = call.names
        draining = call.draining
        for (const listener of listeners) listener()
        return undefined
      case 'close':
        await gateway.close()
        await programs.close()
        return undefined
    }
  }

  process.on('message', ({ id, call }: { readonly id: number; readonly call: MachineCall }) => {
    carryOut(call).then(
      (answer) => process.send?.({ id, answer }),
      (error) => process.send?.({ id, error: (error as Error).message }),
    )
  })
  process.send?.({ id: 0 })
}

const [file] = process.argv.slice(2)
if (file !== undefined) await begin(JSON.parse(await readFile(file, 'utf8')))
