import type { GitError } from '../git-repositories.ts'
import { type GitSource, isOverSsh } from '../source/source.ts'

/** What git says, without what could be secret in it. */
export function remoteProblem(
  { message }: GitError,
  source: Pick<GitSource, 'url' | 'connectionId'>,
): string {
  if (isOverSsh(source) && /host key verification failed/i.test(message))
    return `${new URL(source.url).hostname} has a different SSH host key than before. If its operator changed the key, connect the repository again; otherwise someone may be intercepting the connection.`
  if (/not our ref|unadvertised object/i.test(message))
    return `${new URL(source.url).hostname} does not have the commit.`
  const line = message.split('\n').find((text) => /fatal|error|denied|not found/i.test(text)) ?? message
  const hint = /authentication|denied|403|401/i.test(message)
    ? isOverSsh(source)
      ? ' Add the public key of the project to the repository as a deploy key.'
      : source.connectionId === null
        ? ' Connect it again with a token that can read the repository.'
        : ' The token of the connected Git host may have expired or lost access to it; `aloft git hosts ls` shows the hosts.'
    : ''
  return `${line.replace(/^(?:fatal|error): /, '').slice(0, 300)}.${hint}`.replace(/\.\.$/, '.')
}
