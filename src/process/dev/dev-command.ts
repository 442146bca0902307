import { parseJson } from '#core/detection/config/json.ts'
import type { PackageJson } from '#core/detection/config/package-json.ts'
import { type Framework, isNodeServer } from '#core/detection/framework/frameworks.ts'
import type { SourceTree } from '#core/detection/source-tree.ts'
import { isRecord } from '#core/is-record.ts'

/** How a project's own development server is started. */
export interface DevCommand {
  /** As a person would type it. */
  readonly shown: string
  /** Once it is known on which port it should listen. */
  readonly argv: (port: number) => readonly string[]
}

interface CommandFindings {
  readonly tree: SourceTree
  readonly pkg: PackageJson | undefined
  readonly framework: Framework | undefined
  /** The configuration file of the project, where it has one. */
  readonly configFile: string | undefined
}

const SCRIPTS = ['vercel-dev', 'now-dev', 'dev'] as const

const LOCKS = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
] as const

/** The command that the configuration names; undefined where it names none, null where it wants none. */
export async function configuredCommand({
  tree,
  configFile,
}: Pick<CommandFindings, 'tree' | 'configFile'>): Promise<DevCommand | null | undefined> {
  const text = configFile === undefined ? undefined : await tree.text(configFile)
  const json = text === undefined ? undefined : parseJson(text, configFile as string)
  const line = isRecord(json) ? json.devCommand : undefined
  if (line === undefined) return undefined
  if (typeof line !== 'string' || line.trim() === '') return null
  return lineCommand(line)
}

/** The project's own script, else what its framework is usually developed with. */
export function usualCommand({ tree, pkg, framework }: CommandFindings): DevCommand | undefined {
  const script = SCRIPTS.find((name) => (pkg?.scripts[name] ?? '').trim() !== '')
  const usual = framework?.settings.devCommand?.value ?? undefined
  if (script !== undefined && pkg !== undefined) {
    const manager = LOCKS.find(([lock]) => tree.has(lock))?.[1] ?? 'npm'
    const flag = portFlag(pkg.scripts[script] as string, usual)
    return {
      shown: `${manager} run ${script}`,
      argv: (port) => [
        ...[manager, 'run', script],
        ...(flag === undefined ? [] : [...(manager === 'npm' ? ['--'] : []), flag, String(port)]),
      ],
    }
  }
  return usual === undefined ? undefined : lineCommand(usual)
}

/** For servers that answer everything: only one that has to be built is better run by its own command. */
export const wantsCommand = (framework: Framework | undefined, builds: boolean): boolean =>
  builds || (framework !== undefined && !isNodeServer(framework))

const lineCommand = (line: string): DevCommand => ({ shown: line, argv: () => ['/bin/sh', '-c', line] })

/**
 * Many development servers do not look at `PORT`, but take an option. Where a script does no more than to start the
 * framework's, and says nothing of a port itself, the option is added.
 */
export function portFlag(script: string, usual: string | undefined): string | undefined {
  const words = usual?.split(/\s+/) ?? []
  const flag = words[words.indexOf('$PORT') - 1]
  if (flag === undefined || /[;&|<>$`()\n]/.test(script) || /(?:^|\s)(?:-p|--port)\b/.test(script))
    return undefined
  const program = script
    .trim()
    .split(/\s+/)
    .find((word) => !/^\w+=/.test(word) && word !== 'cross-env' && word !== 'npx')
  return program === words.find((word) => word !== 'npx') ? flag : undefined
}
