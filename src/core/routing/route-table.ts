import type { Condition } from './match/condition.ts'
import type { HeaderRule } from './match/header-rule.ts'
import type { LocaleRule } from './match/locale.ts'
import type { RuleIndex } from './match/rule-index.ts'
import type { TransformRule } from './match/transform.ts'
import type { Pattern } from './pattern/pattern.ts'
import type { Handle, OutputHandle, Route } from './route.ts'
import type { Destination } from './url/destination.ts'

/** Routes made ready for matching. To keep a table, keep its `routes` and compile them again. */
export interface RouteTable {
  readonly routes: readonly Route[]
  readonly phases: readonly Phase[]
  /** Instead of the phases, if the routes are those of a build output. */
  readonly output?: OutputPhases
  /**
   * The headers of requests that the routes of a build output look at, in lower case. What is found for a path and
   * query when a request has none of them is found for all such requests.
   */
  readonly variesOn?: ReadonlySet<string>
}

/** The rules up to the next handle, tried in order once the handle that starts them found nothing. */
export interface Phase {
  /** Undefined for the rules before any handle. */
  readonly handle: Handle | undefined
  readonly rules: readonly Rule[]
  readonly index: RuleIndex
}

export interface Rule {
  readonly pattern: Pattern
  readonly methods: readonly string[] | undefined
  readonly headers: readonly HeaderRule[]
  readonly destination: Destination | undefined
  readonly status: number | undefined
  readonly continues: boolean
  readonly checks: boolean
}

/** The rules of a build output; `start` has those before any handle. */
export type OutputPhases = Readonly<Record<OutputHandle | 'start', OutputPhase>>

interface OutputPhase {
  readonly rules: readonly OutputRule[]
  readonly index: RuleIndex
}

export interface OutputRule extends Rule {
  /** All of them must hold. */
  readonly has: readonly Condition[]
  /** None of them may hold. */
  readonly missing: readonly Condition[]
  /** Whether anything refers to the whole match or to what the conditions captured. */
  readonly refersBeyond: boolean
  /** With a leading slash. */
  readonly middlewarePath: string | undefined
  readonly locale: LocaleRule | undefined
  readonly transforms: readonly TransformRule[]
  readonly isImportant: boolean
}
