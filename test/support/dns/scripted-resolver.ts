import { type Resolver, ResolverFailure } from '#core/ports/resolver.ts'

type Kind = keyof Resolver

interface ScriptedResolver extends Resolver {
  /** What a name answers with from now on; nothing for what was never said. */
  set(kind: Kind, name: string, values: readonly string[]): void
  /** From now on nobody answers for the name and what is under it. */
  fail(name: string): void
  /** Called before each answer; what it returns is waited for. */
  onAsk: (kind: Kind, name: string) => void | Promise<void>
}

/** The world's DNS as a test says it is. Without words there is nothing in it. */
export function createScriptedResolver(): ScriptedResolver {
  const records = new Map<string, readonly string[]>()
  const failing = new Set<string>()

  const ask =
    (kind: Kind) =>
    async (name: string): Promise<readonly string[]> => {
      await resolver.onAsk(kind, name)
      for (const suffix of failing)
        if (name === suffix || name.endsWith(`.${suffix}`))
          throw new ResolverFailure(`DNS did not answer for ${name}: SERVFAIL`)
      return records.get(`${kind} ${name}`) ?? []
    }
  const addresses = (kind: 'a' | 'aaaa') => {
    const asked = ask(kind)
    return async (name: string) => ({ addresses: await asked(name), ttl: 60 })
  }

  const resolver: ScriptedResolver = {
    set: (kind, name, values) => void records.set(`${kind} ${name}`, values),
    fail: (name) => void failing.add(name),
    onAsk: () => {},
    txt: ask('txt'),
    ns: ask('ns'),
    cname: ask('cname'),
    caa: ask('caa'),
    a: addresses('a'),
    aaaa: addresses('aaaa'),
  }
  return resolver
}
