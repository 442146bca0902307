import type { RemoteAccess } from '../source/source.ts'

/**
 * What a submodule is read with: what signs in where the repository itself is, and nothing anywhere else. One that is
 * named by SSH at the same host is read by https where the repository is.
 */
export function accessToModule(parent: RemoteAccess | undefined, url: string): RemoteAccess {
  const [ours, its] = [new URL(parent?.url ?? 'none:'), new URL(url)]
  if (parent === undefined || ours.hostname !== its.hostname) return { url }
  if (ours.protocol === its.protocol && ours.port === its.port) return { ...parent, url }
  if (ours.protocol.startsWith('http') && its.protocol === 'ssh:')
    return { ...parent, url: `${ours.origin}${its.pathname}` }
  return { url }
}
