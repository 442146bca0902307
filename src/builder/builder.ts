import { showDuration } from '#contract/amounts.ts'
import { count } from '#contract/words/wording.ts'
import { mergedRoutes } from '#core/detection/config/route-rules.ts'
import { nothingToServe } from '#core/detection/files-only.ts'
import type { Plan } from '#core/detection/plan.ts'
import { withCleanUrls } from '#core/output/clean-urls.ts'
import { distinctCrons, mergeParts } from '#core/output/merge-parts.ts'
import type { Output } from '#core/output/output.ts'
import type { BlobStore } from '#core/ports/blob-store.ts'
import { type BuildEvents, type Builder, BuildFailure, type BuildTask } from '#core/ports/builder.ts'
import type { Clock } from '#core/ports/clock.ts'
import { BuildInProgress, type Built } from './build-in-progress.ts'
import type { Registry } from './environment/toolchain/registry.ts'
import type { Toolchains } from './environment/toolchain/toolchain.ts'
import type { BuildEnvironment } from './environment/workspace.ts'
import type { BuildCli } from './framework-cli/build-cli.ts'
import { withVariables } from './with-variables.ts'

export interface BuilderParts {
  readonly environment: BuildEnvironment
  readonly toolchains: Toolchains
  readonly cli: BuildCli
  readonly blobs: Pick<BlobStore, 'read' | 'put' | 'putBytes'>
  readonly clock: Clock
  /** Takes the deployments that are images, where there is a Docker Engine. */
  readonly docker?: Builder
  /** Where packages come from, for the tokens that some requests bring. */
  readonly registry?: () => Promise<Pick<Registry, 'url'>>
}

/** Does what a deployment's plan says in a workspace, and takes what came of it. */
export function createBuilder(parts: BuilderParts): Builder {
  return {
    async build(task, events) {
      task.signal.throwIfAborted()
      const isImage = task.plan.stages.some(({ takes }) => takes.some(({ kind }) => kind === 'image'))
      if (parts.docker && isImage) return parts.docker.build(task, events)
      try {
        return await carryOut(parts, task, events)
      } catch (error) {
        task.signal.throwIfAborted()
        throw error
      }
    },
  }
}

async function carryOut(parts: BuilderParts, task: BuildTask, events: BuildEvents): Promise<Output> {
  const { plan } = task
  const began = parts.clock.monotonic()
  const [first] = plan.stages
  if (first === undefined) throw new BuildFailure('nothing_to_build', 'There is nothing to build.')
  const runs = [...new Set(plan.stages.map(({ run }) => run))]
  const tell = async (output: Output): Promise<Output> => {
    const found = `Found ${count(output.programs.length, 'function')} and ${count(output.files.length, 'file')}`
    await events
      .log(runs.at(-1) as string)
      .stdout(`${found}; the build took ${showDuration(parts.clock.monotonic() - began)}`)
    for (const run of runs) await events.ended(run)
    return output
  }

  await events.began(first.run)
  const files = task.files.filter(({ path }) => !plan.hidden(path))
  const workspace = await parts.environment.open({ ...task, files })
  try {
    const { toolchains, cli, blobs, clock, registry } = parts
    const build = new BuildInProgress({
      ...{ workspace, task, events, toolchains, cli, blobs, clock, registry },
    })
    const output = await finished(plan, await build.run())
    workspace.keep(plan.stages.flatMap(({ caches }) => caches))
    return await tell(output)
  } finally {
    await workspace.close()
  }
}

async function finished(plan: Plan, built: Built): Promise<Output> {
  const merged = await mergedRoutes(plan.routes, built.routes)
  const routes = built.before.length === 0 ? merged : [...built.before, ...(merged ?? [])]
  const whole = withVariables(mergeParts(built.parts, routes), plan.programEnv)
  const crons = distinctCrons([...(whole.crons ?? []), ...plan.crons])
  const output = {
    ...whole,
    ...(plan.cleanUrls ? { files: withCleanUrls(whole.files) } : {}),
    ...(crons.length === 0 ? {} : { crons }),
    ...(whole.images || !plan.images ? {} : { images: plan.images }),
  }
  if (output.files.length > 0 || output.functions.length > 0) return output
  throw nothingToServe(plan.stages[0]?.run)
}
