import type { SandboxAdvice } from '#core/operator/sandbox-advice.ts'

/** For a person at a terminal: what is missing, what that means, and the one command that gets it. */
export function sandboxAdviceText({ problem, meaning, command, hint }: SandboxAdvice): string {
  const remedy =
    command === undefined ? (hint ?? '') : `To fix this, run the following and start again:\n\n    ${command}`
  return `\n${problem}\n${meaning}\n${remedy}\n\n`
}
