import type { SandboxBind, SandboxRun } from '#core/ports/sandbox.ts'
import type { SystemView } from './system-view.ts'

/** The descriptors that bubblewrap is started with, after the usual three. */
export const FD = { args: 3, status: 4, seccomp: 5 } as const

/** The one user inside; outside it is the sandbox's own unprivileged user. */
const INSIDE = '1000'

/**
 * All of bubblewrap's options. They reach it through a descriptor, not its command line, which is shown to other
 * users of the machine and inside the sandbox, and would tell of environments and of the machine's paths.
 */
export function bwrapArgs(
  run: Omit<SandboxRun, 'binds'>,
  binds: readonly SandboxBind[],
  view: SystemView,
  filtered: boolean,
): readonly string[] {
  const tmp = String(run.limits.tmpBytes)
  return [
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(run.network === 'none' ? ['--unshare-net'] : []),
    ...['--die-with-parent', '--new-session', '--clearenv', '--cap-drop', 'ALL'],
    ...['--uid', INSIDE, '--gid', INSIDE, '--hostname', 'sandbox'],
    ...['--json-status-fd', String(FD.status)],
    ...(filtered ? ['--seccomp', String(FD.seccomp)] : []),
    ...view.args,
    ...(run.network === 'outbound' ? ['--ro-bind', view.resolvConf, '/etc/resolv.conf'] : []),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...['--perms', '1777', '--size', tmp, '--tmpfs', '/dev/shm'],
    ...['--perms', '1777', '--size', tmp, '--tmpfs', '/tmp', '--symlink', '../tmp', '/var/tmp'],
    ...binds.flatMap(({ host, inside, writable }) => [writable ? '--bind' : '--ro-bind', host, inside]),
    ...['--remount-ro', '/dev', '--remount-ro', '/'],
    ...Object.entries(run.env).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--chdir', run.cwd],
  ]
}
