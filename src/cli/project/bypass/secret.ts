import type { Client } from '#client/client.ts'
import { getProject } from '#contract/api/project.ts'
import { CliError, EXIT } from '../../exit.ts'

/** As much of a secret as listings show. */
export const beginningOf = (secret: string): string => secret.slice(0, 6)

/** The whole secret from its beginning, so that nobody has to type it. */
export async function findBypass(api: Client, idOrName: string, beginning: string): Promise<string> {
  const { protectionBypass = {} } = await api.call(getProject, { params: { idOrName } })
  const [found, another] = Object.keys(protectionBypass).filter((secret) => secret.startsWith(beginning))
  if (found !== undefined && another === undefined) return found
  throw new CliError(
    EXIT.notFound,
    found === undefined ? 'No secret starts with that.' : 'Several secrets start with that.',
    'See them with `aloft projects bypass ls`.',
  )
}
