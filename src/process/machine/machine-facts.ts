import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { MachineFacts } from '#core/operator/sandbox-advice.ts'

interface MachineView {
  readonly platform: NodeJS.Platform
  readonly isRoot: boolean
  read(file: string): Promise<string | undefined>
  has(file: string): boolean
}

const thisMachine: MachineView = {
  platform: process.platform,
  isRoot: process.getuid?.() === 0,
  read: (file) => readFile(file, 'utf8').catch(() => undefined),
  has: existsSync,
}

/** `ID=ubuntu` and `ID_LIKE="debian other"`. */
const distributionsIn = (osRelease: string): readonly string[] =>
  [...osRelease.matchAll(/^ID(?:_LIKE)?=["']?([^"'\n]*)/gm)].flatMap(([, ids = '']) => ids.split(/\s+/))

export async function readMachineFacts(view: MachineView = thisMachine): Promise<MachineFacts> {
  const { platform, isRoot, read, has } = view
  const number = async (file: string) => {
    const text = await read(`/proc/sys/${file}`)
    return text === undefined ? undefined : Number(text)
  }
  const [osRelease = '', apparmor, unprivileged, most] = await Promise.all([
    read('/etc/os-release'),
    number('kernel/apparmor_restrict_unprivileged_userns'),
    number('kernel/unprivileged_userns_clone'),
    number('user/max_user_namespaces'),
  ])
  return {
    platform,
    isRoot,
    distributions: distributionsIn(osRelease),
    inContainer: has('/.dockerenv') || has('/run/.containerenv'),
    userNamespaces: {
      ...(apparmor === undefined ? {} : { apparmorRestricts: apparmor === 1 }),
      ...(unprivileged === undefined ? {} : { unprivileged: unprivileged !== 0 }),
      ...(most === undefined ? {} : { most }),
    },
    cgroups: has('/sys/fs/cgroup/cgroup.controllers') ? 2 : has('/sys/fs/cgroup/memory') ? 1 : null,
  }
}
