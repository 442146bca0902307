import type { Destination } from './destination.ts'
import type { HeaderRule } from './header-rule.ts'
import type { Pattern } from './pattern.ts'
import type { Handle, Route } from './route.ts'
import type { RuleIndex } from './rule-index.ts'

/** Routes made ready for matching. To keep a table, keep its `routes` and compile them again. */
export interface RouteTable {
  readonly routes: readonly Route[]
  readonly phases: readonly Phase[]
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
