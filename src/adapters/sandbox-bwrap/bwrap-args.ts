import type { SandboxBind, SandboxRun } from '#core/ports/sandbox.ts'
import type { SystemView } from './system-view.ts'

/** The descriptors that bubblewrap is started with, after the usual three. */
export const FD = { args: 3, status: 4, seccomp: 5 } as const

/** The one user inside; outside it is the sandbox's own unprivileged user. */
const INSIDE = '1000'

/** Without a user namespace root makes the sandbox, and the first program in it becomes the sandbox's user for good. */
const BECOME_ANOTHER = ['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP']

/** The folders above a path, which bubblewrap would make for its own user alone. */
function foldersAbove(path: string): readonly string[] {
  const names = path.split('/').slice(1, -1)
  return names.flatMap((_, i) => ['--perms', '0755', '--dir', `/${names.slice(0, i + 1).join('/')}`])
}

/**
 * All of bubblewrap's options. They reach it through a descriptor, not its command line, which is shown to other
 * users of the machine and inside the sandbox, and would tell of environments and of the machine's paths.
 */
export function bwrapArgs(
  run: Omit<SandboxRun, 'binds'>,
  binds: readonly SandboxBind[],
  { view, filtered, userns }: { view: SystemView; filtered: boolean; userns: boolean },
): readonly string[] {
  const tmp = String(run.limits.tmpBytes)
  return [
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(run.network === 'none' ? ['--unshare-net'] : []),
    ...['--die-with-parent', '--new-session', '--clearenv', '--hostname', 'sandbox', '--cap-drop', 'ALL'],
    ...(userns
      ? ['--unshare-user', '--uid', INSIDE, '--gid', INSIDE]
      : BECOME_ANOTHER.flatMap((capability) => ['--cap-add', capability])),
    ...['--json-status-fd', String(FD.status)],
    ...(filtered ? ['--seccomp', String(FD.seccomp)] : []),
    ...view.args,
    ...(run.network === 'outbound' ? ['--ro-bind', view.resolvConf, '/etc/resolv.conf'] : []),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...['--perms', '1777', '--size', tmp, '--tmpfs', '/dev/shm'],
    ...[
      '--perms',
      '1777',
      '--size',
      tmp,
      '--tmpfs',
      '/tmp',
      ...foldersAbove('/var/tmp'),
      '--symlink',
      '../tmp',
      '/var/tmp',
    ],
    ...binds.flatMap(({ host, inside, writable }) => [
      ...foldersAbove(inside),
      ...[writable ? '--bind' : '--ro-bind', host, inside],
    ]),
    ...['--remount-ro', '/dev', '--remount-ro', '/'],
    ...Object.entries(run.env).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--chdir', run.cwd],
  ]
}
