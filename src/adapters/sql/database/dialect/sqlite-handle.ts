import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import type { QueryResult } from 'kysely'

interface Prepared {
  readonly statement: StatementSync
  /** None for a statement that answers no rows. */
  readonly toObject: ((row: readonly unknown[]) => unknown) | undefined
}

/** More texts than the stores have; a bound in case one is ever built from input. */
const STATEMENTS = 512

const PRAGMA = /^\s*pragma\b/i

/**
 * Makes objects of one shape that the engine knows. Those that SQLite would make are slow to read, and those that are
 * filled key by key are slow to make.
 */
function objectOf(columns: readonly string[]): Prepared['toObject'] {
  if (columns.length === 0) return undefined
  const fields = [...new Set(columns)].map(
    (name) => `${JSON.stringify(name)}: row[${columns.lastIndexOf(name)}]`,
  )
  return new Function('row', `return { ${fields.join(', ')} }`) as Prepared['toObject']
}

/** One connection to the file, on which every SQL text is prepared once. */
export class SqliteHandle {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, Prepared>()

  constructor(file: string, pragmas: string) {
    this.#database = new DatabaseSync(file)
    try {
      this.#database.exec(pragmas)
    } catch (error) {
      this.#database.close()
      throw error
    }
  }

  get isTransaction(): boolean {
    return this.#database.isTransaction
  }

  run<R>(sql: string, parameters: readonly unknown[] = []): QueryResult<R> {
    const { statement, toObject } = this.#statements.get(sql) ?? this.#prepare(sql)
    const values = parameters as readonly SQLInputValue[]
    if (toObject === undefined) {
      // Some of them do their work step by step, a page of the file at a time, and a run is the first step alone.
      if (PRAGMA.test(sql)) return { numAffectedRows: BigInt(statement.all(...values).length), rows: [] }
      return { numAffectedRows: BigInt(statement.run(...values).changes), rows: [] }
    }
    const rows = (statement.all(...values) as unknown as unknown[][]).map((row) => toObject(row) as R)
    return { numAffectedRows: BigInt(rows.length), rows }
  }

  close(): void {
    this.#statements.clear()
    this.#database.close()
  }

  #prepare(sql: string): Prepared {
    const statement = this.#database.prepare(sql)
    statement.setReturnArrays(true)
    const prepared = { statement, toObject: objectOf(statement.columns().map(({ name }) => name)) }
    if (this.#statements.size >= STATEMENTS) {
      const [oldest] = this.#statements.keys()
      if (oldest !== undefined) this.#statements.delete(oldest)
    }
    this.#statements.set(sql, prepared)
    return prepared
  }
}
