import { spec as SpecReporter } from 'node:test/reporters'

/** An event of `run()`. The types of Node.js do not name what is read here. */
export interface TestEvent {
  readonly type: string
  readonly data: {
    readonly name?: string
    readonly nesting?: number
    readonly file?: string
    readonly skip?: string | boolean
    readonly todo?: string | boolean
    readonly counts?: Readonly<Record<string, number>>
    readonly details?: {
      readonly type?: string
      readonly error?: { readonly failureType?: string; readonly cause?: unknown }
    }
  }
}

/** What the runner of Node.js calls its counts, and what it prints for them. */
const COUNTS = {
  tests: 'tests',
  suites: 'suites',
  pass: 'passed',
  fail: 'failed',
  cancelled: 'cancelled',
  skipped: 'skipped',
  todo: 'todo',
} as const

/** A suite is not counted by Node.js, so one that could not even be loaded would go unseen. */
const isBrokenSuite = ({ type, data: { details } }: TestEvent): boolean =>
  type === 'test:fail' && details?.type === 'suite' && details.error?.failureType !== 'subtestsFailed'

/** The end of a run that is one of several: counts that are not those of the whole. */
const isClosing = ({ type, data }: TestEvent): boolean =>
  type === 'test:summary' || (type === 'test:diagnostic' && data.nesting === 0 && data.file === undefined)

export const isEnd = ({ type }: TestEvent): boolean => type === 'test:pass' || type === 'test:fail'

const isOuterEnd = (event: TestEvent): boolean => isEnd(event) && event.data.nesting === 0

const REASON_LINES = 12

/** Why a test failed, for one whose failure the report will not show. */
export function reasonOf({ data: { details } }: TestEvent): string {
  const cause = details?.error?.cause
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause ?? '')
  return text.split('\n').slice(0, REASON_LINES).join('\n')
}

/** One report, as the runner of Node.js prints it, of several runs. */
export class Report {
  readonly #spec = new SpecReporter()
  readonly #totals: Record<string, number> = {}
  readonly #started = Date.now()

  constructor(to: NodeJS.WritableStream) {
    this.#spec.pipe(to, { end: false })
  }

  /**
   * Everything that one run has told, at once: lines of two runs are never mixed. Suites of these names must be in it:
   * a process that ends early has not run what was to come.
   */
  add(events: readonly TestEvent[], suites: readonly string[] = []): void {
    const ran = new Set(events.filter(isOuterEnd).map(({ data }) => data.name))
    for (const name of suites) if (!ran.has(name)) this.#lost(name)
    for (const event of events) {
      if (event.type === 'test:summary' && event.data.file === undefined)
        for (const [name, count] of Object.entries(event.data.counts ?? {})) this.#count(name, count)
      if (isBrokenSuite(event)) this.#count('failed', 1)
      if (!isClosing(event)) this.#spec.write(event)
    }
  }

  /** Prints the counts and what failed; answers whether nothing did. */
  async close(): Promise<boolean> {
    const of = (name: string) => this.#totals[name] ?? 0
    const say = (message: string) =>
      this.#spec.write({ type: 'test:diagnostic', data: { nesting: 0, message, level: 'info' } })
    for (const [shown, name] of Object.entries(COUNTS)) say(`${shown} ${of(name)}`)
    say(`duration_ms ${Date.now() - this.#started}`)
    const printed = new Promise<void>((done) => this.#spec.once('end', () => done()))
    this.#spec.end()
    await printed
    return of('tests') > 0 && of('failed') === 0 && of('cancelled') === 0
  }

  #lost(name: string): void {
    this.#count('failed', 1)
    const error = Object.assign(new Error('it was not run'), {
      code: 'ERR_TEST_FAILURE',
      cause: 'it was not run',
    })
    this.#spec.write({
      type: 'test:fail',
      data: { name, nesting: 0, testNumber: 0, details: { duration_ms: 0, type: 'suite', error } },
    })
  }

  #count(name: string, count: number): void {
    this.#totals[name] = (this.#totals[name] ?? 0) + count
  }
}
