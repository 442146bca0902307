import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import type { QueryResult } from 'kysely'

interface Prepared {
  readonly statement: StatementSync
  /** None for a statement that answers no rows. */
  readonly columns: readonly string[]
}

/** More texts than the stores have; a bound in case one is ever built from input. */
const STATEMENTS = 256

/** Objects made here have a shape that the engine knows; those that SQLite would make are slow to read. */
function toObject(columns: readonly string[], row: readonly unknown[]): unknown {
  const object: Record<string, unknown> = {}
  for (let i = 0; i < columns.length; i++) object[columns[i] as string] = row[i]
  return object
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
    const { statement, columns } = this.#statements.get(sql) ?? this.#prepare(sql)
    const values = parameters as readonly SQLInputValue[]
    if (columns.length === 0) return { numAffectedRows: BigInt(statement.run(...values).changes), rows: [] }
    const rows = (statement.all(...values) as unknown as unknown[][]).map(
      (row) => toObject(columns, row) as R,
    )
    return { numAffectedRows: BigInt(rows.length), rows }
  }

  close(): void {
    this.#statements.clear()
    this.#database.close()
  }

  #prepare(sql: string): Prepared {
    const statement = this.#database.prepare(sql)
    statement.setReturnArrays(true)
    const prepared = { statement, columns: statement.columns().map(({ name }) => name) }
    if (this.#statements.size >= STATEMENTS) {
      const [oldest] = this.#statements.keys()
      if (oldest !== undefined) this.#statements.delete(oldest)
    }
    this.#statements.set(sql, prepared)
    return prepared
  }
}
