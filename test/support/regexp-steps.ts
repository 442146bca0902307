/** What a regular expression consists of, as far as matching it by trying goes. */
type Node =
  | { readonly kind: 'char'; readonly source: string; readonly test: (char: string) => boolean }
  | { readonly kind: 'assertion'; readonly source: string }
  | { readonly kind: 'back'; readonly group: number | string }
  | { readonly kind: 'look'; readonly body: Node; readonly isAhead: boolean; readonly isNot: boolean }
  | { readonly kind: 'group'; readonly body: Node; readonly index?: number; readonly name?: string }
  | { readonly kind: 'either'; readonly ways: readonly Node[] }
  | { readonly kind: 'all'; readonly parts: readonly Node[] }
  | {
      readonly kind: 'repeat'
      readonly body: Node
      readonly min: number
      readonly max: number
      readonly isLazy: boolean
    }

class TooManySteps extends Error {}

function parse(expression: RegExp): Node {
  const { source, flags } = expression
  const classFlags = flags.replace(/[^iuv]/g, '')
  let at = 0
  let groups = 0
  const sets = new Map<string, (char: string) => boolean>()

  function charOf(text: string): Node {
    let test = sets.get(text)
    if (!test) {
      const one = new RegExp(`^(?:${text})$`, classFlags + (flags.includes('s') ? 's' : ''))
      const known = new Map<string, boolean>()
      test = (char) => {
        let is = known.get(char)
        if (is === undefined) {
          is = one.test(char)
          known.set(char, is)
        }
        return is
      }
      sets.set(text, test)
    }
    return { kind: 'char', source: text, test }
  }

  function either(): Node {
    const ways = [all()]
    while (source[at] === '|') {
      at++
      ways.push(all())
    }
    return ways.length === 1 ? (ways[0] as Node) : { kind: 'either', ways }
  }

  function all(): Node {
    const parts: Node[] = []
    while (at < source.length && source[at] !== '|' && source[at] !== ')') parts.push(repeated(atom()))
    return parts.length === 1 ? (parts[0] as Node) : { kind: 'all', parts }
  }

  function repeated(body: Node): Node {
    const found = /^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})(\??)/.exec(source.slice(at))
    if (!found) return body
    at += found[0].length
    const [, sign, from = '', comma, to = '', lazy] = found
    const [min, max] =
      sign === undefined
        ? [Number(from), comma === undefined ? Number(from) : to === '' ? Infinity : Number(to)]
        : [sign === '+' ? 1 : 0, sign === '?' ? 1 : Infinity]
    return { kind: 'repeat', body, min, max, isLazy: lazy === '?' }
  }

  function atom(): Node {
    const rest = source.slice(at)
    if (rest.startsWith('(')) {
      const [opening = '(', name] = /^\((?:\?(?:[:=!]|<[=!]|<([^>]+)>|[a-z-]+:))?/.exec(rest) ?? []
      at += opening.length
      const index = opening === '(' || name !== undefined ? ++groups : undefined
      const body = either()
      at++
      if (/[=!]$/.test(opening))
        return { kind: 'look', body, isAhead: !opening.includes('<'), isNot: opening.endsWith('!') }
      return { kind: 'group', body, ...(index === undefined ? {} : { index }), ...(name ? { name } : {}) }
    }
    if (rest.startsWith('[')) {
      const set = classAt(rest, flags.includes('v'))
      at += set.length
      return charOf(set)
    }
    if (/^[\^$]|^\\[bB]/.test(rest)) {
      const text = rest[0] === '\\' ? rest.slice(0, 2) : (rest[0] as string)
      at += text.length
      return { kind: 'assertion', source: text }
    }
    const [, name, digits] = /^\\(?:k<([^>]+)>|([1-9]\d*))/.exec(rest) ?? []
    if (name !== undefined || digits !== undefined) {
      at += name === undefined ? (digits as string).length + 1 : name.length + 4
      return { kind: 'back', group: name ?? Number(digits) }
    }
    const [text] = /^(?:\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|.)|.)/su.exec(
      rest,
    ) as unknown as [string]
    at += text.length
    return charOf(text)
  }

  return either()
}

function classAt(text: string, isNested: boolean): string {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '[' && (isNested || at === 0)) depth++
    else if (text[at] === ']' && --depth === 0) return text.slice(0, at + 1)
  }
  return text
}

type Next = (at: number) => boolean

/** How many characters are looked at until the expression is known to match the text or not, from every place where it may begin. */
function steps(node: Node, { flags }: RegExp, text: readonly string[], most: number): number {
  let count = 0
  const captured = new Map<number | string, readonly string[]>()
  const isWord = (at: number) => /\w/.test(text[at] ?? '\n')

  function run(node: Node, at: number, next: Next, isBack = false): boolean {
    if (++count > most) throw new TooManySteps()
    switch (node.kind) {
      case 'char': {
        const char = text[isBack ? at - 1 : at]
        return char !== undefined && node.test(char) && next(isBack ? at - 1 : at + 1)
      }
      case 'assertion': {
        const isMany = flags.includes('m')
        const holds = {
          '^': at === 0 || (isMany && text[at - 1] === '\n'),
          $: at === text.length || (isMany && text[at] === '\n'),
          '\\b': isWord(at - 1) !== isWord(at),
          '\\B': isWord(at - 1) === isWord(at),
        }[node.source]
        return holds === true && next(at)
      }
      case 'back': {
        const was = captured.get(node.group) ?? []
        return was.every((char, i) => text[at + i] === char) && next(at + was.length)
      }
      case 'look': {
        const found = run(node.body, at, () => true, !node.isAhead)
        return found !== node.isNot && next(at)
      }
      case 'group':
        return run(
          node.body,
          at,
          (end) => {
            if (node.index !== undefined) captured.set(node.index, text.slice(at, end))
            if (node.name !== undefined) captured.set(node.name, text.slice(at, end))
            return next(end)
          },
          isBack,
        )
      case 'either':
        return node.ways.some((way) => run(way, at, next, isBack))
      case 'all': {
        const parts = isBack ? node.parts.toReversed() : node.parts
        const from =
          (i: number): Next =>
          (place) =>
            i === parts.length ? next(place) : run(parts[i] as Node, place, from(i + 1), isBack)
        return from(0)(at)
      }
      case 'repeat':
        return repeat(node, at, 0, next, isBack)
    }
  }

  function repeat(
    node: Extract<Node, { kind: 'repeat' }>,
    at: number,
    times: number,
    next: Next,
    isBack: boolean,
  ): boolean {
    if (++count > most) throw new TooManySteps()
    const once = () =>
      times < node.max &&
      run(
        node.body,
        at,
        // What matches nothing is not tried again.
        (end) => (end !== at || times < node.min) && repeat(node, end, times + 1, next, isBack),
        isBack,
      )
    if (times < node.min) return once()
    return node.isLazy ? next(at) || once() : once() || next(at)
  }

  const isGlobal = flags.includes('g')
  for (let at = 0; at <= text.length; at++) {
    let end = -1
    const isFound = run(node, at, (found) => {
      end = found
      return true
    })
    if (flags.includes('y') || (isFound && !isGlobal)) break
    if (isFound) at = Math.max(at, end - 1)
  }
  return count
}

/** Characters that stand for what expressions tell apart. */
const SAMPLES = [...'a0_- \t\n"\'/\\.,;:=@#<>()[]{}%&?!*+|~^$`Zf9é\u00a0\u2028\u0001']
/** How many of them stand for one class. */
const KINDS = 3

/** Texts that the parts of an expression match, of which one is repeated. */
function* texts(node: Node, times: number): Generator<string[]> {
  const chars = new Set<string>()
  const bodies = new Set<string>()
  const prefixes = new Set<string>(['', '\u0002'])

  /** One text that it matches, or nearly. */
  function sample(node: Node, more = 0): string {
    switch (node.kind) {
      case 'char': {
        const own = node.source.replace(/^\\(?=[^\w])/, '')
        const found = [own, ...SAMPLES].find((char) => [...char].length === 1 && node.test(char))
        if (found !== undefined) chars.add(found)
        if (node.source.length > 1)
          for (const char of SAMPLES.filter(node.test).slice(0, KINDS)) chars.add(char)
        return found ?? ''
      }
      case 'group':
        return sample(node.body, more)
      case 'either':
        return node.ways.map((way) => sample(way, more))[0] ?? ''
      case 'all':
        return node.parts.map((part) => sample(part, more)).join('')
      case 'repeat':
        return sample(node.body).repeat(Math.max(node.min, 1))
      default:
        return ''
    }
  }

  function visit(node: Node, before: string): string {
    switch (node.kind) {
      case 'repeat':
        if (node.max > 20) {
          prefixes.add(before)
          const ways = node.body.kind === 'group' ? node.body.body : node.body
          for (const way of ways.kind === 'either' ? ways.ways : [ways]) bodies.add(sample(way))
        }
        visit(node.body, before)
        return before + sample(node)
      case 'all':
        return node.parts.reduce((so, part) => visit(part, so), before)
      case 'either':
        for (const way of node.ways) visit(way, before)
        return before + sample(node)
      case 'group':
      case 'look':
        visit(node.body, before)
        return node.kind === 'look' ? before : before + sample(node)
      default:
        return before + sample(node)
    }
  }
  visit(node, '')
  if (bodies.size === 0) return
  for (const pump of new Set([...bodies, ...chars])) {
    if (pump === '') continue
    for (const prefix of prefixes)
      for (const suffix of ['', '\u0001']) yield [...prefix, ...pump.repeat(times), ...suffix]
  }
}

/** Longer than what is bounded by a small number, such as the name of an attribute. */
const SHORT = 24
/** What is linear takes no more of such a text, but for a few expressions of many parts. */
const FEW = 400
/** As many as nothing linear takes. */
const MANY = 50_000

/** A text of which twice as much takes more than about twice the work; undefined where none was found. */
export function slowText(expression: RegExp): string | undefined {
  const node = parse(expression)
  const takes = (text: readonly string[], most: number): number | undefined => {
    try {
      return steps(node, expression, text, most)
    } catch (error) {
      if (error instanceof TooManySteps) return undefined
      throw error
    }
  }
  const short = texts(node, SHORT)
  for (const twice of texts(node, 2 * SHORT)) {
    const text = short.next().value as string[]
    if (takes(twice, FEW) !== undefined) continue
    const once = takes(text, MANY)
    if (once === undefined || takes(twice, Math.max(3 * once, FEW)) === undefined) return text.join('')
  }
  return undefined
}

const BEFORE = /(?:^|[=(,:!&|?{};[\n>]|\breturn)[ \t]{0,80}$/

/** The regular expressions that stand in a source, by how they are written. */
export function* literals(source: string): Generator<RegExp> {
  for (let at = source.indexOf('/'); at !== -1; at = source.indexOf('/', at + 1)) {
    const [next] = source.slice(at + 1, at + 2)
    if (next === '/' || next === '*' || !BEFORE.test(source.slice(Math.max(0, at - 90), at))) continue
    let end = at + 1
    for (let depth = 0; end < source.length && source[end] !== '\n'; end++) {
      if (source[end] === '\\') end++
      else if (source[end] === '[') depth = 1
      else if (source[end] === ']') depth = 0
      else if (source[end] === '/' && depth === 0) break
    }
    if (source[end] !== '/') continue
    const [flags = ''] = /^[a-z]*/.exec(source.slice(end + 1, end + 9)) ?? []
    try {
      yield new RegExp(source.slice(at + 1, end), flags)
      at = end
    } catch {
      // A division, or a piece of a text.
    }
  }
}
