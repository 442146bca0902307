import { readOne, TAG, within, write } from '#adapters/der/der.ts'

/**
 * Values of DER, as the certificates of the local authority are made of them. A library for all of X.509 takes 0.15 s of the
 * processor and 8 MB in each process that loads it, and a serving process needs a certificate at every start.
 */
export type Der = Buffer

export const sequence = (...parts: readonly Der[]): Der => write(TAG.sequence, ...parts)
export const set = (...parts: readonly Der[]): Der => write(0x31, ...parts)
export const octets = (bytes: Buffer): Der => write(TAG.octetString, bytes)
export const utf8 = (text: string): Der => write(0x0c, Buffer.from(text))
export const TRUE = write(0x01, Buffer.of(0xff))

/** Bits from the first on, without the zeros after the last that is set. */
export const bits = (bytes: Buffer, unused = 0): Der => write(TAG.bitString, Buffer.of(unused), bytes)

/** A number that is not negative, from its bytes. */
export function integer(bytes: Buffer): Der {
  let start = 0
  while (start < bytes.length - 1 && bytes[start] === 0) start++
  const least = bytes.subarray(start)
  return write(TAG.integer, ...((least[0] ?? 0) >= 0x80 ? [Buffer.of(0)] : []), least)
}

export function oid(text: string): Der {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number)
  const bytes: number[] = []
  for (const arc of [first * 40 + second, ...rest]) {
    const digits = [arc & 0x7f]
    for (let left = arc >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80)
    bytes.push(...digits)
  }
  return write(TAG.oid, Buffer.from(bytes))
}

/** A time to the second. What is before 2050 has two digits for its year, and must have. */
export function time(ms: number): Der {
  const [digits = ''] = new Date(ms).toISOString().replaceAll(/[-:T]/g, '').split('.')
  return Number(digits.slice(0, 4)) < 2050
    ? write(0x17, Buffer.from(`${digits.slice(2)}Z`))
    : write(TAG.generalizedTime, Buffer.from(`${digits}Z`))
}

/** The values inside of a sequence, each with its tag and length. */
export const inside = (der: Buffer): readonly Der[] =>
  within(readOne(der, TAG.sequence)).map(({ whole }) => whole)

/** The bytes of what is a string of bits and has whole bytes. */
export const bytesOf = (der: Buffer): Buffer => readOne(der, TAG.bitString).content.subarray(1)
