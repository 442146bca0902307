import { BuildFailure } from '../../build/build-failure.ts'
import { isRecord } from '../../is-record.ts'

export const invalidConfig = (message: string): BuildFailure => new BuildFailure('invalid_config', message)

export function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw invalidConfig(
      `${file} is not valid JSON: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

/** That of another tool, which allows comments and a comma at the end of a list; undefined where it is none. */
export function looseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(withoutComments(text ?? ''))
  } catch {
    return undefined
  }
}

/** What is not closed goes to the end, so that nothing is read twice. */
const withoutComments = (text: string): string =>
  text
    .replace(/^\uFEFF/, '')
    .replace(/"(?:[^"\\]|\\[\s\S])*"?|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g, (part) =>
      part.startsWith('"') ? part : ' ',
    )
    .replace(/"(?:[^"\\]|\\[\s\S])*"?|,(?=\s*[}\]])/g, (part) => (part === ',' ? '' : part))

/** The entries that are text; what is not is left out, as it is with whoever wrote the file. */
export const stringMap = (value: unknown): Readonly<Record<string, string>> =>
  isRecord(value)
    ? Object.fromEntries(
        Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
      )
    : {}
