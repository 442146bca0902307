import type { Output } from '#core/output/output.ts'
import { programId } from './output/program-id.ts'

/** Gives variables to every program, under those it has. A program with other variables is another program. */
export function withVariables(output: Output, variables: Readonly<Record<string, string>>): Output {
  if (Object.keys(variables).length === 0) return output
  const ids = new Map<string, string>()
  const programs = output.programs.map(({ id, ...program }) => {
    const changed = { ...program, env: { ...variables, ...program.env } }
    ids.set(id, programId(changed))
    return { id: ids.get(id) as string, ...changed }
  })
  return {
    ...output,
    programs,
    functions: output.functions.map((answer) => ({
      ...answer,
      program: ids.get(answer.program) ?? answer.program,
    })),
  }
}
