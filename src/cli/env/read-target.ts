import { usageError } from '../exit.ts'

/** `production`, `preview`, `development`, or the name or id of an environment of the project's own. */
export function readTarget(text: string): string {
  if (/^(?:env_[0-9A-Za-z]{1,60}|[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?)$/.test(text)) return text
  throw usageError(
    `"${text}" is not an environment: use production, preview, development or a custom environment.`,
  )
}
