import type { SandboxBind, SandboxRun } from '#core/ports/sandbox.ts'
import type { SystemView, ViewEntry } from './system-view.ts'

/** The folders above a path, which would else be made for their maker alone. */
function foldersAbove(path: string): readonly ViewEntry[] {
  const names = path.split('/').slice(1, -1)
  return names.map((_, i) => ({ is: 'folder', inside: `/${names.slice(0, i + 1).join('/')}` }))
}

/** Everything of its own that a run sees, in the order that it is laid out in; /proc and /dev are there already. */
export function runView(
  run: Pick<SandboxRun, 'limits' | 'network'>,
  binds: readonly SandboxBind[],
  view: Pick<SystemView, 'resolvConf'>,
): readonly ViewEntry[] {
  const shared = { is: 'memory', bytes: run.limits.tmpBytes, mode: '1777' } as const
  return [
    ...(run.network === 'outbound'
      ? [{ is: 'bind', host: view.resolvConf, inside: '/etc/resolv.conf', writable: false } as const]
      : []),
    { ...shared, inside: '/dev/shm' },
    { ...shared, inside: '/tmp' },
    ...foldersAbove('/var/tmp'),
    { is: 'link', to: '../tmp', inside: '/var/tmp' },
    ...binds.flatMap(({ host, inside, writable, maxBytes }): readonly ViewEntry[] => [
      ...foldersAbove(inside),
      maxBytes === undefined
        ? { is: 'bind', host, inside, writable }
        : { is: 'memory', inside, bytes: maxBytes, mode: '0755' },
    ]),
  ]
}
