import type { SandboxBind, SandboxRun } from '#core/ports/sandbox.ts'
import { runView } from './run-view.ts'
import { stagedMemory } from './start-argv.ts'
import type { SystemView, ViewEntry } from './system-view.ts'

/** The descriptors that bubblewrap is started with, after the usual three. */
export const FD = { args: 3, status: 4, seccomp: 5 } as const

/** The one user inside; outside it is the sandbox's own unprivileged user. */
const INSIDE = '1000'

/** Without a user namespace root makes the sandbox, and the first program in it becomes the sandbox's user for good. */
const BECOME_ANOTHER = ['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP']

const optionsOf = (entry: ViewEntry): readonly string[] => {
  switch (entry.is) {
    case 'bind':
      return [entry.writable ? '--bind' : '--ro-bind', entry.host, entry.inside]
    case 'link':
      return ['--symlink', entry.to, entry.inside]
    case 'folder':
      return ['--perms', '0755', '--dir', entry.inside]
    case 'memory':
      return ['--perms', entry.mode, '--size', String(entry.bytes), '--tmpfs', entry.inside]
  }
}

/**
 * All of bubblewrap's options. They reach it through a descriptor, not its command line, which is shown to other
 * users of the machine and inside the sandbox, and would tell of environments and of the machine's paths.
 */
export function bwrapArgs(
  run: Omit<SandboxRun, 'binds'>,
  binds: readonly SandboxBind[],
  {
    view,
    filtered,
    userns,
    stages,
  }: { view: SystemView; filtered: boolean; userns: boolean; stages: boolean },
): readonly string[] {
  const own = runView(run, binds, view)
  return [
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(run.network === 'none' ? ['--unshare-net'] : []),
    ...['--die-with-parent', '--new-session', '--clearenv', '--hostname', 'sandbox', '--cap-drop', 'ALL'],
    ...(userns
      ? ['--unshare-user', '--uid', INSIDE, '--gid', INSIDE]
      : BECOME_ANOTHER.flatMap((capability) => ['--cap-add', capability])),
    ...['--json-status-fd', String(FD.status)],
    ...(filtered ? ['--seccomp', String(FD.seccomp)] : []),
    ...view.entries.flatMap(optionsOf),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...(stages ? stagedMemory(own, view.stage) : own).flatMap(optionsOf),
    ...['--remount-ro', '/dev', '--remount-ro', '/'],
    ...Object.entries(run.env).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--chdir', run.cwd],
  ]
}
