import { mkdir, writeFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import type { Registry } from '../toolchain/registry.ts'
import type { NodeToolchain, PackageTool } from '../toolchain/toolchain.ts'
import { INSIDE } from '../workspace.ts'

export const CA_INSIDE = '/opt/ca/ca.pem'

/** What commands find unless the deployment says otherwise. Downloads are kept for the project's next build. */
export const DEFAULT_ENV: Readonly<Record<string, string>> = {
  CI: '1',
  LANG: 'C.UTF-8',
  TZ: 'UTC',
  USER: 'user',
  SHELL: '/bin/sh',
  npm_config_cache: `${INSIDE.downloads}/npm`,
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
  XDG_CACHE_HOME: `${INSIDE.downloads}/cache`,
  XDG_DATA_HOME: `${INSIDE.downloads}/data`,
  // What the tools of most frameworks expect.
  YARN_NODE_LINKER: 'node-modules',
  YARN_GLOBAL_FOLDER: `${INSIDE.downloads}/berry`,
  BUN_INSTALL_CACHE_DIR: `${INSIDE.downloads}/bun`,
}

/** What no deployment changes. */
export const FIXED_ENV: Readonly<Record<string, string>> = { HOME: INSIDE.home, TMPDIR: INSIDE.tmp }

/** Programs of the project first, from the folder of the command upwards, then those of the platform. */
export function pathInside(cwd: string, node: NodeToolchain, tools: readonly PackageTool[]): string {
  const folders: string[] = []
  for (let at = cwd; ; at = posix.dirname(at)) {
    folders.push(`${at}/node_modules/.bin`)
    if (at === INSIDE.source || at === '/') break
  }
  return [
    ...folders,
    ...tools.map(({ name }) => `/opt/${name}/bin`),
    posix.dirname(node.node),
    ...['/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin'],
  ].join(':')
}

/** The configuration of a user, which that of a project overrules. It names the registry, and holds no tokens. */
export async function writeHome(folder: string, { url }: Registry): Promise<void> {
  await mkdir(folder, { mode: 0o755 })
  const quoted = JSON.stringify(url)
  const files = {
    '.npmrc': `registry=${url}\n`,
    '.yarnrc': `registry ${quoted}\n`,
    '.yarnrc.yml': `npmRegistryServer: ${quoted}\nenableTelemetry: false\n`,
    '.bunfig.toml': `telemetry = false\n[install]\nregistry = ${quoted}\n`,
  }
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
}
