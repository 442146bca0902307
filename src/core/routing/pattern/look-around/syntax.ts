import { remembering } from '../../../remembering.ts'
import type { Token } from '../pattern-tokens.ts'
import { ANY, type CharSet, createCharSet } from './char-set.ts'
import { readEscape, readSet } from './set-syntax.ts'

/** A pattern as a tree. */
export type Node =
  | { readonly kind: 'chars'; readonly set: CharSet }
  | { readonly kind: 'assertion'; readonly test: Assertion }
  | { readonly kind: 'look'; readonly look: LookNode }
  /** `index` counts from 1. */
  | { readonly kind: 'group'; readonly index: number; readonly body: Node }
  | { readonly kind: 'sequence' | 'choice'; readonly items: readonly Node[] }
  | {
      readonly kind: 'repeat'
      readonly body: Node
      readonly min: number
      readonly max: number
      readonly isLazy: boolean
    }

export type Assertion = 'start' | 'end' | 'word-edge' | 'no-word-edge'

export interface LookNode {
  readonly isBehind: boolean
  readonly isNegated: boolean
  readonly body: Node
  /** Whether there is something in it to capture. */
  readonly captures: boolean
}

const MAX_DEPTH = 100
const MAX_REPEAT = 1000
/** As many as a pattern has characters. */
const MAX_SETS = 4096

const ASSERTIONS: Readonly<Record<string, Assertion>> = {
  '^': 'start',
  '\\A': 'start',
  $: 'end',
  '\\z': 'end',
  '\\b': 'word-edge',
  '\\B': 'no-word-edge',
}

/** Throws an Error that says what is wrong with the pattern. */
export function parse(tokens: readonly Token[], isCaseSensitive: boolean): Node {
  let at = 0
  let groups = 0
  // Patterns name the same characters again and again.
  const literal = remembering((char) => literalOf(char, isCaseSensitive), { most: MAX_SETS })
  const set = remembering((text) => setOf(text, isCaseSensitive), { most: MAX_SETS })

  function parseChoice(depth: number): Node {
    if (depth > MAX_DEPTH) throw new Error(`groups are nested more than ${MAX_DEPTH} deep`)
    const items: Node[] = [parseSequence(depth)]
    while (tokens[at]?.kind === 'alternative') {
      at++
      items.push(parseSequence(depth))
    }
    const [only] = items
    return items.length === 1 && only !== undefined ? only : { kind: 'choice', items }
  }

  function parseSequence(depth: number): Node {
    const items: Node[] = []
    for (let token = tokens[at]; token !== undefined; token = tokens[at]) {
      if (token.kind === 'alternative' || token.kind === 'close') break
      at++
      if (token.kind === 'repeat') items.push(repeat(items.pop(), token))
      else items.push(...parseItem(token, depth))
    }
    return { kind: 'sequence', items }
  }

  function parseItem(token: Token, depth: number): readonly Node[] {
    switch (token.kind) {
      case 'text':
        return Array.from(token.text, literal)
      case 'any':
        return [{ kind: 'chars', set: ANY }]
      case 'set':
        return [set(token.text)]
      case 'assertion':
        return [{ kind: 'assertion', test: ASSERTIONS[token.text] ?? 'start' }]
      case 'open':
        return [parseGroup(token, depth)]
      default:
        throw new Error('flags are not supported together with look-around')
    }
  }

  function parseGroup(open: Extract<Token, { kind: 'open' }>, depth: number): Node {
    if (open.flags !== undefined) throw new Error('flags are not supported together with look-around')
    const index = open.captures ? ++groups : 0
    const before = groups
    const body = parseChoice(depth + 1)
    // The closing token, which is there: tokens are balanced.
    at++
    if (open.captures) return { kind: 'group', index, body }
    const { look } = open
    if (look === undefined) return body
    return {
      kind: 'look',
      look: {
        isBehind: look.startsWith('<'),
        isNegated: look.endsWith('!'),
        body,
        captures: groups > before,
      },
    }
  }

  return parseChoice(0)
}

/** Whether it can match nothing at all. */
export function isNullable(node: Node): boolean {
  switch (node.kind) {
    case 'chars':
      return false
    case 'sequence':
      return node.items.every(isNullable)
    case 'choice':
      return node.items.some(isNullable)
    case 'group':
      return isNullable(node.body)
    case 'repeat':
      return node.min === 0 || isNullable(node.body)
    default:
      return true
  }
}

function literalOf(char: string, isCaseSensitive: boolean): Node {
  const point = char.codePointAt(0) ?? 0
  return { kind: 'chars', set: createCharSet([[point, point]], { isCaseSensitive }) }
}

function setOf(text: string, isCaseSensitive: boolean): Node {
  const read = text.startsWith('[') ? readSet : readEscape
  return { kind: 'chars', set: read(text, isCaseSensitive) }
}

function repeat(body: Node | undefined, { min, max, isLazy }: Extract<Token, { kind: 'repeat' }>): Node {
  if (body === undefined || body.kind === 'assertion' || body.kind === 'look')
    throw new Error('a quantifier has nothing to repeat')
  if (body.kind === 'repeat') throw new Error('a quantifier follows another one')
  if (min > max || min > MAX_REPEAT || (max > MAX_REPEAT && Number.isFinite(max)))
    throw new Error('a quantifier has an invalid count')
  return { kind: 'repeat', body, min, max, isLazy }
}
