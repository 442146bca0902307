import { SandboxError } from '../ports/sandbox.ts'

const BY_CODE: Readonly<Record<string, string>> = {
  ENOSPC: 'its disk is full',
  EDQUOT: 'its disk is full',
  ENOMEM: 'it ran out of memory',
  EMFILE: 'it has too many files open',
  ENFILE: 'it has too many files open',
  EACCES: 'it is not allowed to write where builds are stored',
  EROFS: 'it cannot write where builds are stored',
  ECONNREFUSED: 'a service it depends on did not respond',
  ECONNRESET: 'a service it depends on did not respond',
  ETIMEDOUT: 'a service it depends on did not respond',
  ENOTFOUND: 'a service it depends on was not found',
  EAI_AGAIN: 'a service it depends on was not found',
}

/** The error and what caused it, the outermost first. */
function* chain(error: unknown): Iterable<Error> {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) yield at
}

/** What kind of thing failed, for the owner of a build: nothing of paths, addresses or settings of the platform. */
export function whatFailed(error: unknown): string {
  for (const each of chain(error)) {
    if (each instanceof SandboxError)
      return each.kind === 'no_outbound'
        ? 'it has no network for builds'
        : 'it could not start a sandbox for the build'
    if (each.name === 'ToolchainError') return 'it could not download a tool that the build needs'
    const known = BY_CODE[(each as NodeJS.ErrnoException).code ?? '']
    if (known !== undefined) return known
  }
  return 'an internal error occurred'
}

/** The same for the operator: everything. */
export const allThatFailed = (error: unknown): string =>
  [...chain(error)].map(({ message }) => message).join(': ') || String(error)
