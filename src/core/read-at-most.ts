/** All of a stream, which is read no further than this: of more, nothing is kept, and what `tooMuch` says is thrown. */
export async function readAtMost(
  stream: AsyncIterable<Uint8Array>,
  most: number,
  tooMuch: () => Error,
): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of stream) {
    size += piece.length
    if (size > most) throw tooMuch()
    pieces.push(piece)
  }
  return Buffer.concat(pieces, size)
}
