import type { ProcessFacts } from '#core/operator/status.ts'
import type { Metrics } from '../compose/status/metrics.ts'

const NAME = 'aloft_process_restarts_total'

/** Adds what the supervisor knows, which no process could count for itself. */
export const withRestarts =
  (
    read: Metrics['read'],
    list: () => Promise<{ readonly processes: readonly ProcessFacts[] }>,
  ): Metrics['read'] =>
  async () => {
    const [{ type, body }, { processes }] = await Promise.all([read(), list()])
    const line = (name: string, reason: string, count: number) =>
      `${NAME}{process="${name}",reason="${reason}"} ${count}\n`
    const lines = processes
      .filter(({ role }) => role !== 'supervisor')
      .map(({ name, restarts, hangs }) => line(name, 'died', restarts - hangs) + line(name, 'hung', hangs))
    const about = `# HELP ${NAME} Restarts of platform processes\n# TYPE ${NAME} counter\n`
    return { type, body: `${body.trimEnd()}\n\n${about}${lines.join('')}` }
  }
