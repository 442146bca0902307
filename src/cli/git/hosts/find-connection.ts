import type { listGitConnections } from '#contract/api/git-connection.ts'
import type { ReplyOf } from '#contract/endpoint.ts'
import { CliError, EXIT } from '../../exit.ts'

type Connection = ReplyOf<(typeof listGitConnections)['reply']>['connections'][number]

const see = 'See the connected hosts with `aloft git hosts ls`.'

/** The one that is meant: by its id, or by its host where only one is there. */
export function findConnection(all: readonly Connection[], wanted: string | undefined): Connection {
  const found =
    wanted === undefined ? all : all.filter(({ id, url }) => id === wanted || new URL(url).host === wanted)
  const [one, other] = found
  if (one && !other) return one
  if (other)
    throw new CliError(
      EXIT.usage,
      'Several connected Git hosts match.',
      `Pass the id of one with --via. ${see}`,
    )
  throw wanted === undefined
    ? new CliError(EXIT.notFound, 'No Git host is connected.', 'Connect one: aloft git hosts add github')
    : new CliError(EXIT.notFound, `No connected Git host matches ${wanted}.`, see)
}
