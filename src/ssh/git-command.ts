import { type GitService, isGitService } from '#core/git/enter-repository.ts'

export interface GitCommand {
  readonly service: GitService
  readonly account: string
  readonly repository: string
}

const MAX_LENGTH = 1000

/** One word, as git quotes it for a shell that there is none of here. */
const QUOTED = /^'((?:[^']|'\\'')*)'$/

const PATH = /^(?:~?\/)?([A-Za-z0-9][\w.-]{0,100})\/([A-Za-z0-9][\w.-]{0,200})\/?$/

/**
 * What git asks for over SSH: `git-receive-pack '/ada/shop.git'`. Nothing of it ever reaches a shell; whatever is not
 * exactly this is undefined.
 */
export function readGitCommand(text: string): GitCommand | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const [, name, rest = ''] = /^(git[- ](?:upload|receive)-pack) (.+)$/.exec(text) ?? []
  const service = name?.replace(' ', '-')
  if (!isGitService(service)) return undefined
  const path = QUOTED.exec(rest)?.[1]?.replaceAll(`'\\''`, "'") ?? rest
  const [, account, repository] = PATH.exec(path) ?? []
  return account === undefined || repository === undefined ? undefined : { service, account, repository }
}
