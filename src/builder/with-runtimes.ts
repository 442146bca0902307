import type { Program, Runtime } from '#core/output/output.ts'
import { type Builder, BuildFailure } from '#core/ports/builder.ts'
import { ToolchainError, type Toolchains } from './environment/toolchain/toolchain.ts'

interface RuntimeParts {
  readonly toolchains: Pick<Toolchains, 'ensureNode' | 'ensureBun'>
  /** There are functions that visitors may ask for at any moment. */
  readonly onFunctions: (programs: readonly Program[]) => void
}

/** Nothing counts as built before what its programs run on is here: the first visitor does not wait for a download. */
export const withRuntimes = (builder: Builder, { toolchains, onFunctions }: RuntimeParts): Builder => ({
  async build(task, events) {
    const output = await builder.build(task, events)
    const versions = (wanted: Runtime) =>
      new Set(output.programs.flatMap(({ runtime, version }) => (runtime === wanted ? [version] : [])))
    const nodes = versions('node')
    const buns = versions('bun')
    try {
      for (const version of nodes) await toolchains.ensureNode(version)
      for (const version of buns) await toolchains.ensureBun(version)
    } catch (error) {
      if (error instanceof ToolchainError) throw new BuildFailure('toolchain_unavailable', error.message)
      throw error
    }
    task.signal.throwIfAborted()
    if (nodes.size + buns.size > 0) onFunctions(output.programs.filter(({ runtime }) => runtime !== 'docker'))
    return output
  },
})
