import type { Compilable, CompiledQuery } from 'kysely'
import type { Db } from '../tables.ts'

/** Stands for a parameter while its query is compiled. */
class Slot {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

type Parameters = Readonly<Record<string, string | number>>

const slots = <P extends Parameters>(): P =>
  new Proxy({} as P, { get: (_, name) => new Slot(String(name)) as unknown })

/**
 * A query that is built and compiled the first time a database runs it, and from then on only gets
 * other parameters: building costs more than running. `build` must not look at the parameters.
 */
export const prepare =
  <P extends Parameters>() =>
  <Row>(build: (db: Db, parameters: P) => Compilable<Row>) => {
    // One adapter belongs to one database and all of its transactions.
    const compiledFor = new WeakMap<object, CompiledQuery<Row>>()

    return async (db: Db, parameters: P): Promise<readonly Row[]> => {
      const { adapter } = db.getExecutor()
      let compiled = compiledFor.get(adapter)
      if (!compiled) {
        compiled = build(db, slots<P>()).compile()
        compiledFor.set(adapter, compiled)
      }
      const values = compiled.parameters.map((value) =>
        value instanceof Slot ? parameters[value.name] : value,
      )
      const { rows } = await db.executeQuery<Row>({ ...compiled, parameters: values })
      return rows
    }
  }
