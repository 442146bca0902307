import { BuildFailure } from '#core/ports/builder.ts'

export interface Instruction {
  /** Upper case. */
  readonly name: string
  readonly rest: string
}

const ESCAPE = /^#\s*escape\s*=\s*([\\`])\s*$/i
const DIRECTIVE = /^#\s*[a-z]+\s*=/i

/** The instructions of a Dockerfile, each on one line, as the engine reads it. */
export function readInstructions(text: string): readonly Instruction[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/)
  const last = escapeOf(lines)
  const whole: string[] = []
  let begun: string | undefined
  for (const line of lines) {
    // Comments and empty lines inside of an instruction are as if they were not there.
    if (/^\s*(?:#.*)?$/.test(line)) continue
    const continues = line.trimEnd().endsWith(last)
    const part = continues ? line.trimEnd().slice(0, -1) : line
    begun = begun === undefined ? part : begun + part
    if (continues) continue
    whole.push(begun)
    begun = undefined
  }
  if (begun !== undefined) whole.push(begun)
  return whole.map((line) => {
    const [, name = '', rest = ''] = /^\s*(\S+)\s*([\s\S]*)$/.exec(line) ?? []
    return { name: name.toUpperCase(), rest: rest.trim() }
  })
}

/** Only the lines before anything else can say so. */
function escapeOf(lines: readonly string[]): string {
  for (const line of lines) {
    if (!DIRECTIVE.test(line)) break
    const found = ESCAPE.exec(line)?.[1]
    if (found) return found
  }
  return '\\'
}

/** The names of which the Dockerfile wants a value. */
export const argumentsOf = (instructions: readonly Instruction[]): ReadonlySet<string> =>
  new Set(
    instructions
      .filter(({ name }) => name === 'ARG')
      .flatMap(({ rest }) => rest.match(/[A-Za-z_]\w*(?==|\s|$)/g) ?? []),
  )

/**
 * The engine itself fetches what `ADD` names by an address, from where it stands: beside the platform, inside of its
 * network. A step of the build can fetch the same without harm.
 */
export function refuseFetching(instructions: readonly Instruction[], run: string): void {
  for (const { name, rest } of instructions) {
    const add = name === 'ADD' ? rest : /^ADD\s+([\s\S]*)$/i.exec(name === 'ONBUILD' ? rest : '')?.[1]
    if (add === undefined) continue
    const sources = add.replace(/^(?:--\S+\s+)*/, '')
    if (/:\/\/|git@|\$/.test(sources))
      throw new BuildFailure(
        'invalid_dockerfile',
        'ADD takes files of the deployment here, by their plain names: fetch with RUN what is elsewhere, and use COPY for names with variables in them.',
        run,
      )
  }
}
