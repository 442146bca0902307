import { type Builder, BuildFailure } from '#core/ports/builder.ts'
import { ToolchainError, type Toolchains } from './environment/toolchain.ts'

interface RuntimeParts {
  readonly toolchains: Pick<Toolchains, 'ensureNode'>
  /** There are functions that visitors may ask for at any moment. */
  readonly onFunctions: () => void
}

/** Nothing counts as built before what its programs run on is here: the first visitor does not wait for a download. */
export const withRuntimes = (builder: Builder, { toolchains, onFunctions }: RuntimeParts): Builder => ({
  async build(task, events) {
    const output = await builder.build(task, events)
    const nodes = output.programs.filter(({ runtime }) => runtime === 'node')
    try {
      for (const version of new Set(nodes.map((program) => program.version)))
        await toolchains.ensureNode(version)
    } catch (error) {
      if (error instanceof ToolchainError) throw new BuildFailure('toolchain_unavailable', error.message)
      throw error
    }
    task.signal.throwIfAborted()
    if (nodes.length > 0) onFunctions()
    return output
  },
})
