/** One thing that somebody does with a client, and whether it works. */
export interface Step {
  readonly client: string
  readonly version: string
  readonly command: string
  /** Why it does not work; absent when it does. */
  readonly problem?: string
  /** It is known, and the reason is one that the table tells. */
  readonly expected?: boolean
}

/** A failure that is known: what the client complains of, and why that is so. Any other is a failure like all. */
export interface KnownFailure {
  readonly complaint: RegExp
  readonly why: string
}

export interface StepRecorder {
  /**
   * Does it and remembers how it went. What it answers is for later steps; undefined where it failed, which is expected
   * where it complains of what is known.
   */
  step<T>(command: string, run: () => Promise<T> | T, known?: KnownFailure): Promise<T | undefined>
  /** What cannot work here, and why. */
  cannot(command: string, why: string): void
}

const FIRST_LINES = 600

interface Issue {
  readonly path?: readonly (string | number)[]
  readonly message?: string
  readonly errors?: readonly (readonly Issue[])[]
  readonly unionErrors?: readonly { readonly issues: readonly Issue[] }[]
}

const inWords = (issue: Issue): string => {
  const inner = issue.errors?.[0] ?? issue.unionErrors?.[0]?.issues
  return `${(issue.path ?? []).join('.')} ${inner ? inner.map(inWords).join(', ') : issue.message}`
}

/** What a package found wrong with an answer, in a line. */
function problemOf(error: Error & { rawValue?: unknown }): string {
  const { message = JSON.stringify(error), cause, ...rest } = error
  const { issues } = (cause ?? {}) as { issues?: readonly Issue[] }
  if (issues === undefined) return message
  const answered = rest.rawValue as { error?: unknown } | undefined
  const said = answered?.error === undefined ? '' : ` ${JSON.stringify(answered.error)}`
  return `${message.split(':')[0]}: ${issues.map(inWords).join('; ')}${said}`
}

export function createStepRecorder(client: string, version: string, steps: Step[]): StepRecorder {
  const add = (step: Omit<Step, 'client' | 'version'>): void => {
    steps.push({ client, version, ...step })
    const mark = step.problem === undefined ? 'ok  ' : step.expected ? 'none' : 'FAIL'
    const said = step.problem === undefined ? '' : `: ${step.problem}`
    process.stdout.write(`${mark} ${client} ${version} ${step.command}${said}\n`)
  }
  return {
    async step(command, run, known) {
      try {
        const made = await run()
        add({ command })
        return made
      } catch (error) {
        const problem = problemOf(error as Error).slice(0, FIRST_LINES)
        // Packages break the line, or leave a name empty, where others do not.
        const inOneLine = problem.replace(/\s+/g, ' ')
        if (known?.complaint.test(inOneLine))
          add({ command, problem: `${known.why} (${problem})`, expected: true })
        else add({ command, problem })
        return undefined
      }
    },
    cannot: (command, why) => add({ command, problem: why, expected: true }),
  }
}
