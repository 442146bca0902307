import type { CodeRuntime } from '../output/output.ts'
import type { FunctionSetting } from './config/function-settings.ts'
import type { Plan } from './plan.ts'

/** The line of Bun that there is, as `bunVersion` names it. */
export const BUN_LINE = '1.x'

/** The line of Python that programs run on. */
const PYTHON_LINE = '3.11'

interface ProgramRuntime {
  readonly runtime: CodeRuntime
  readonly version: string
}

/**
 * What runs a program. JavaScript runs on Bun where the configuration file has a `bunVersion`, or where the code can run
 * on nothing else; a function that names a version of Node itself has that.
 */
export function runtimeOfProgram(
  found: CodeRuntime,
  own: Pick<FunctionSetting, 'nodeVersion'> | undefined,
  plan: Pick<Plan, 'nodeVersion' | 'bunVersion'>,
): ProgramRuntime {
  if (found === 'python') return { runtime: 'python', version: PYTHON_LINE }
  if (own?.nodeVersion !== undefined) return { runtime: 'node', version: own.nodeVersion }
  const onBun = found === 'bun' || plan.bunVersion !== undefined
  return onBun ? { runtime: 'bun', version: BUN_LINE } : { runtime: 'node', version: plan.nodeVersion }
}
