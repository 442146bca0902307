/** One element of DER: what it is, what is in it, and all of its bytes. */
export interface Element {
  readonly tag: number
  readonly content: Buffer
  readonly whole: Buffer
}

export const TAG = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  enumerated: 0x0a,
  generalizedTime: 0x18,
  sequence: 0x30,
} as const

export class MalformedDer extends Error {
  override readonly name = 'MalformedDer'
}

const LONGEST = 0xffff

/** The elements that follow one another in these bytes, which have to end with the last of them. */
function readAll(bytes: Buffer): readonly Element[] {
  const found: Element[] = []
  for (let at = 0; at < bytes.length; ) {
    const element = readAt(bytes, at)
    found.push(element)
    at += element.whole.length
  }
  return found
}

/** Exactly one element. */
export function readOne(bytes: Buffer, tag: number): Element {
  const element = readAt(bytes, 0)
  if (element.whole.length !== bytes.length) throw new MalformedDer('there is more than one element')
  return expect(element, tag)
}

export function expect(element: Element | undefined, tag: number): Element {
  if (element?.tag !== tag) throw new MalformedDer(`an element of tag ${tag} is missing`)
  return element
}

/** The elements inside of a sequence. */
export const within = (element: Element | undefined): readonly Element[] =>
  readAll(expect(element, TAG.sequence).content)

function readAt(bytes: Buffer, start: number): Element {
  const [tag, first] = [bytes[start], bytes[start + 1]]
  // Tags of several bytes, and lengths that are not said, are not used by anything that is read here.
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f || first === 0x80 || first > 0x82)
    throw new MalformedDer('an element does not begin as one')
  const size = first < 0x80 ? 0 : first - 0x80
  const from = start + 2 + size
  if (from > bytes.length) throw new MalformedDer('an element is cut off')
  const length = size === 0 ? first : bytes.readUIntBE(start + 2, size)
  const end = from + length
  if (end > bytes.length) throw new MalformedDer('an element is cut off')
  return { tag, content: bytes.subarray(from, end), whole: bytes.subarray(start, end) }
}

export function write(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents)
  const { length } = content
  if (length > LONGEST) throw new RangeError('the element is too long')
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

/** Milliseconds of a time like `20300102030405Z`. */
export function readTime(element: Element | undefined): number {
  const text = expect(element, TAG.generalizedTime).content.toString('latin1')
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(text)
  const time = parts
    ? Date.parse(text.replace(/^(.{4})(..)(..)(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'))
    : Number.NaN
  if (Number.isNaN(time)) throw new MalformedDer('a time is none')
  return time
}
