import { BuildFailure } from '#core/ports/builder.ts'

interface Instruction {
  /** Upper case. */
  readonly name: string
  readonly rest: string
}

const invalid = (message: string, run: string) => new BuildFailure('invalid_dockerfile', message, run)

const COMMENT = /^\s*(?:#|$)/
const CONTINUES = /\\[ \t]*$/

/**
 * The instructions of a Dockerfile, each on one line, as every engine reads it. What engines of different ages read
 * differently is refused, since more than reading depends on it.
 */
export function readInstructions(text: string, run: string): readonly Instruction[] {
  const whole: string[] = []
  let begun: string | undefined
  for (const line of text.replace(/^\ufeff/, '').split(/\r?\n/)) {
    if (/^\s*#\s*escape\s*=\s*[^\\\s]/i.test(line))
      throw invalid('Lines are continued with a backslash; the `escape` directive is not supported.', run)
    // Comments and empty lines inside of an instruction are as if they were not there.
    if (COMMENT.test(line)) continue
    if (/\\\\[ \t]*$/.test(line)) throw invalid('A line ends with two backslashes.', run)
    const continues = CONTINUES.test(line)
    begun = (begun ?? '') + (continues ? line.replace(CONTINUES, '') : line)
    if (continues) continue
    whole.push(begun)
    begun = undefined
  }
  if (begun !== undefined) whole.push(begun)
  return whole.map((line) => {
    const [, word = '', rest = ''] = /^\s*(\S+)\s*([\s\S]*)$/.exec(line) ?? []
    const name = word.toUpperCase()
    if (!/^[A-Z]+$/.test(name))
      throw invalid(`There is no instruction ${JSON.stringify(word.slice(0, 80))}.`, run)
    return { name, rest: rest.trim() }
  })
}

/** The names of which the Dockerfile wants a value. */
export function argumentsOf(instructions: readonly Instruction[]): ReadonlySet<string> {
  const names = new Set<string>()
  for (const { name, rest } of instructions) {
    if (name !== 'ARG') continue
    // Word by word: an expression that looks at what follows would begin anew at each letter.
    for (const { 0: word, index } of rest.matchAll(/\w+/g)) {
      const wanted = word.replace(/^\d+/, '')
      if (wanted !== '' && /^(?:[=\s]|$)/.test(rest.charAt(index + word.length))) names.add(wanted)
    }
  }
  return names
}

/**
 * The engine itself fetches what `ADD` names by an address, from where it stands: beside the platform, inside of its
 * network. A step of the build can fetch the same without harm.
 */
export function refuseFetching(instructions: readonly Instruction[], run: string): void {
  for (const { name, rest } of instructions) {
    const add = name === 'ADD' ? rest : /^ADD\s+([\s\S]*)$/i.exec(name === 'ONBUILD' ? rest : '')?.[1]
    // Of quotes, escapes and variables an address can be made.
    if (add !== undefined && namesOf(add).some((word) => /:\/\/|[\\'"`$]/.test(word)))
      throw invalid(
        'ADD only accepts files of the deployment with plain names. Download other files with RUN, and use COPY if names are quoted or contain variables.',
        run,
      )
  }
}

/** What an instruction names, after its flags; in the form of a list or of words. */
function namesOf(rest: string): readonly string[] {
  const text = rest.replace(/^(?:--\S+\s+)*/, '')
  try {
    const list: unknown = JSON.parse(text)
    if (Array.isArray(list)) return list.map(String)
  } catch {}
  return text.split(/\s+/)
}
