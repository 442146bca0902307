import { join } from 'node:path'
import type { CliStep, Plan } from '#core/detection/plan.ts'
import type { SandboxBind } from '#core/ports/sandbox.ts'
import type { InstalledCli } from './build-cli.ts'

const FOLDER = join(import.meta.dirname, 'cli')
const SCRIPT = join(FOLDER, 'run-cli.mjs')

interface CliCommand {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly extraBinds: readonly SandboxBind[]
}

/** How the CLI is run at the source's root. Everything is bound at the path it has on the machine. */
export function cliCommand(
  { folder, node }: InstalledCli,
  step: CliStep,
  { stage, plan, production }: { readonly stage: string; readonly plan: Plan; readonly production: boolean },
): CliCommand {
  const order = {
    cli: folder,
    settings: {
      framework: step.framework,
      // What there is to install is installed already.
      installCommand: '',
      buildCommand: step.buildCommand,
      outputDirectory: step.outputDirectory,
      rootDirectory: stage === '' ? null : stage,
      nodeVersion: plan.nodeVersion,
    },
    functions: functionsOf(plan, step),
    without: step.without,
    production,
  }
  const bind = (path: string): SandboxBind => ({ host: path, inside: path, writable: false })
  return {
    argv: [join(node.folder, 'bin/node'), SCRIPT, JSON.stringify(order)],
    env: { VERCEL_TELEMETRY_DISABLED: '1', NO_UPDATE_NOTIFIER: '1', NODE_PATH: '' },
    extraBinds: [bind(folder), bind(node.folder), bind(FOLDER)],
  }
}

/** A pattern of files is one text to it. */
const oneOf = (globs: readonly string[]): string | undefined =>
  globs.length > 1 ? `{${globs.join(',')}}` : globs[0]

function functionsOf(plan: Plan, { without }: CliStep): Record<string, object> | undefined {
  // It fails where a pattern is of no file that it sees.
  const functions = plan.functions.filter(({ glob }) => without.length === 0 || !glob.endsWith('.py'))
  return functions.length === 0
    ? undefined
    : Object.fromEntries(
        functions.map(({ glob, memoryMb, maxDuration, includeFiles, excludeFiles }) => [
          glob,
          {
            memory: memoryMb,
            maxDuration,
            includeFiles: oneOf(includeFiles),
            excludeFiles: oneOf(excludeFiles),
          },
        ]),
      )
}
