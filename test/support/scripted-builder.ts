import { createHash } from 'node:crypto'
import type { Output } from '#core/output/output.ts'
import type { BuildEvents, Builder, BuildTask } from '#core/ports/builder.ts'

type Script = (task: BuildTask, events: BuildEvents) => Promise<Output>

/** A builder that does what a test says, deployment by deployment. */
export class ScriptedBuilder implements Builder {
  readonly tasks: BuildTask[] = []
  #script: Script = () => Promise.reject(new Error('the test says nothing of this build'))

  next(script: Script): void {
    this.#script = script
  }

  build(task: BuildTask, events: BuildEvents): Promise<Output> {
    this.tasks.push(task)
    return this.#script(task, events)
  }
}

/** An output whose files have these texts. Their contents are not in the blob store. */
export const outputOf = (texts: Readonly<Record<string, string>>, more: Partial<Output> = {}): Output => ({
  routes: undefined,
  functions: [],
  programs: [],
  files: Object.entries(texts).map(([path, text]) => ({
    path,
    sha1: createHash('sha1').update(text).digest('hex'),
    sha256: createHash('sha256').update(text).digest('hex'),
    size: Buffer.byteLength(text),
  })),
  ...more,
})
