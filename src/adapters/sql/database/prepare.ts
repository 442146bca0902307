import type { Compilable, CompiledQuery, Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import { EmbeddedAdapter } from './dialect/sqlite-dialect.ts'

/** Stands for a parameter while its query is compiled. */
class Slot {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

type Parameters = Readonly<Record<string, string | number | Uint8Array | null>>

const slots = <P extends Parameters>(): P =>
  new Proxy({} as P, { get: (_, name) => new Slot(String(name)) as unknown })

interface Prepared<Row> {
  readonly compiled: CompiledQuery<Row>
  /** The names of the parameters, in their order; undefined where a value stands. */
  readonly names: readonly (string | undefined)[]
  /** Where it only reads and the database is in this process, it can be answered without any of the steps between. */
  readonly embedded: EmbeddedAdapter | undefined
}

function prepareFor<Row, Schema>(db: Kysely<Schema>, compiled: CompiledQuery<Row>): Prepared<Row> {
  const { adapter } = db.getExecutor()
  const reads = compiled.query.kind === 'SelectQueryNode'
  return {
    compiled,
    names: compiled.parameters.map((value) => (value instanceof Slot ? value.name : undefined)),
    embedded: reads && adapter instanceof EmbeddedAdapter ? adapter : undefined,
  }
}

/**
 * A query that is built and compiled the first time a database runs it, and from then on only gets
 * other parameters: building costs more than running. `build` must not look at the parameters.
 */
export const prepare =
  <P extends Parameters, Schema = Tables>() =>
  <Row>(build: (db: Kysely<Schema>, parameters: P) => Compilable<Row>) => {
    // One adapter belongs to one database and all of its transactions.
    const preparedFor = new WeakMap<object, Prepared<Row>>()

    return async (db: Kysely<Schema>, parameters: P): Promise<readonly Row[]> => {
      const { adapter } = db.getExecutor()
      let prepared = preparedFor.get(adapter)
      if (!prepared) {
        prepared = prepareFor(db, build(db, slots<P>()).compile())
        preparedFor.set(adapter, prepared)
      }
      const { compiled, names, embedded } = prepared
      // Whoever watches a transaction for changes is told of those that were built before it began.
      if (db.isTransaction) db.getExecutor().transformQuery(compiled.query, compiled.queryId)
      const values = names.map((name, i) => (name === undefined ? compiled.parameters[i] : parameters[name]))
      if (embedded?.read && !db.isTransaction) return embedded.read<Row>(compiled.sql, values)
      const { rows } = await db.executeQuery<Row>({ ...compiled, parameters: values })
      return rows
    }
  }
