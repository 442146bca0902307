import { SCOPES, type Scope } from '#contract/scopes.ts'

type Grants = Partial<Record<Scope, 'read' | 'read-write'>>

/** `project`, `project:read` and `read:project`, one or more of them apart by commas. Without a word it is both. */
export function readScopes(text: string): Grants {
  return Object.assign({}, ...text.split(',').map((one) => readScope(one.trim())))
}

function readScope(text: string): Grants {
  const words = text.split(':')
  const permission = words.find((word) => word === 'read' || word === 'read-write')
  const names = words.filter((word) => word !== permission)
  const scope = SCOPES.find((name) => name === names[0])
  if (scope === undefined || names.length !== 1)
    throw new TypeError(`"${text}" should be one of ${SCOPES.join(', ')}, for example project:read`)
  return { [scope]: permission ?? 'read-write' }
}
