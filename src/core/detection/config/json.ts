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

/** The entries that are text; what is not is left out, as it is with whoever wrote the file. */
export const stringMap = (value: unknown): Readonly<Record<string, string>> =>
  isRecord(value)
    ? Object.fromEntries(
        Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
      )
    : {}
