import { BuildFailure } from '#core/ports/builder.ts'
import { type Lease, type Runner, RunnerError } from '#core/ports/runner.ts'
import { DEV_SERVER } from './dev-plan.ts'
import type { DevServer } from './dev-server.ts'
import type { FaultPages } from './fault-pages.ts'
import { programText } from './program-text.ts'
import type { Programs, Version } from './programs.ts'

interface DevRunnerParts {
  readonly programs: Programs
  /** Runs what is compiled. */
  readonly runner: Runner
  readonly faults: FaultPages
  readonly devServer: () => DevServer | undefined
}

/** Compiles what is asked for before it is run; what cannot be is answered with the reason. */
export function createDevRunner({ programs, runner, faults, devServer }: DevRunnerParts): Runner {
  async function leaseVersion(version: Version, options: Parameters<Runner['lease']>[1]): Promise<Lease> {
    version.leases++
    try {
      const { deploymentId, program } = version
      const lease = await runner.lease({ deploymentId, program: program.id }, options)
      return {
        instanceId: lease.instanceId,
        socket: lease.socket,
        release(end) {
          lease.release(end)
          programs.release(version)
        },
      }
    } catch (error) {
      programs.release(version)
      throw error
    }
  }

  return {
    async lease({ program: id }, options) {
      if (id === DEV_SERVER) {
        const server = devServer()
        if (server === undefined) throw new RunnerError('unavailable', 'The development server has stopped')
        return server.lease().catch((error: Error) =>
          faults.lease(id, {
            title: 'The development server does not respond',
            about: server.shown,
            text: error.message,
          }),
        )
      }
      let about = ''
      try {
        const version = await programs.ensure(id)
        about = version.source.file
        const lease = await leaseVersion(version, options)
        faults.clear(id)
        return lease
      } catch (error) {
        if (error instanceof BuildFailure)
          return faults.lease(id, { title: 'This function cannot be compiled', text: error.message })
        if (!(error instanceof RunnerError && error.fault === 'crashed')) throw error
        return faults.lease(id, {
          title: 'This function does not start',
          about,
          text: programText(error.message) ?? error.message,
        })
      }
    },
  }
}
