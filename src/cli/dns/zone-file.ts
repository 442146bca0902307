/** A record of a zone file, its name and the hosts in its value whole and without the dot at their end. */
export interface ZoneRecord {
  readonly line: number
  readonly name: string
  readonly type: string
  readonly value: string
}

/** A word, or a text in quotation marks. */
interface Token {
  readonly text: string
  readonly quoted: boolean
}

/** Lines that belong together, since brackets hold several to one. */
interface Entry {
  readonly line: number
  /** It begins with a blank: its name is that of the record before. */
  readonly indented: boolean
  readonly tokens: readonly Token[]
}

/** Which words of the value are hosts. */
const HOSTS: Readonly<Record<string, readonly number[]>> = {
  ALIAS: [0],
  CNAME: [0],
  MX: [1],
  SRV: [3],
}

/** Throws a `TypeError` that names the line. */
export function readZoneFile(text: string, domain: string): ZoneRecord[] {
  const records: ZoneRecord[] = []
  let origin = domain
  let name = domain
  for (const { line, indented, tokens } of entriesOf(text)) {
    const wrong = (why: string) => new TypeError(`line ${line}: ${why}`)
    const [first, second] = tokens
    if (first === undefined) continue
    if (!first.quoted && first.text.startsWith('$')) {
      const directive = first.text.toUpperCase()
      if (directive === '$ORIGIN' && second) origin = fullName(second.text, origin)
      else if (directive !== '$TTL') throw wrong(`${first.text} is not supported`)
      continue
    }
    if (!indented) name = fullName(first.text, origin)
    const rest = indented ? [...tokens] : tokens.slice(1)
    // Time and class stand before the type, in either order, and say nothing here.
    while (rest[0] && /^(?:\d+[smhdw]?|IN)$/i.test(rest[0].text)) rest.shift()
    const type = rest.shift()?.text.toUpperCase()
    if (type === undefined || rest.length === 0) throw wrong('the record is incomplete')
    records.push({ line, name, type, value: recordValue(type, rest, origin) })
  }
  return records
}

function recordValue(type: string, tokens: readonly Token[], origin: string): string {
  if (type === 'TXT') return tokens.map(({ text }) => text).join('')
  const hosts = HOSTS[type] ?? []
  return tokens
    .map(({ text, quoted }, index) =>
      quoted ? `"${text}"` : hosts.includes(index) && text !== '.' ? fullName(text, origin) : text,
    )
    .join(' ')
}

const fullName = (name: string, origin: string): string =>
  (name === '@' ? origin : name.endsWith('.') ? name.slice(0, -1) : `${name}.${origin}`).toLowerCase()

function* entriesOf(text: string): Generator<Entry> {
  let open = 0
  let entry: { line: number; indented: boolean; tokens: Token[] } | undefined
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const number = index + 1
    entry ??= { line: number, indented: /^\s/.test(line), tokens: [] }
    const known = /"((?:[^"\\]|\\.)*)"|(;.*)|([()])|((?:[^\s"();\\]|\\.)+)|(["\\])/g
    for (const [, quoted, comment, bracket, word, stray] of line.matchAll(known)) {
      if (stray !== undefined) throw new TypeError(`line ${number}: unclosed quotation mark`)
      if (comment !== undefined) break
      if (bracket !== undefined) open += bracket === '(' ? 1 : -1
      else entry.tokens.push({ text: unescaped(quoted ?? word ?? ''), quoted: quoted !== undefined })
    }
    if (open < 0) throw new TypeError(`line ${number}: closing bracket without an opening one`)
    if (open > 0) continue
    yield entry
    entry = undefined
  }
  if (open > 0) throw new TypeError('unclosed bracket')
}

const unescaped = (text: string): string =>
  text.replace(/\\(\d{3}|.)/g, (_match, what: string) =>
    what.length === 3 ? String.fromCharCode(Number(what)) : what,
  )
