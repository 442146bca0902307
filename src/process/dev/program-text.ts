/** The frames of what hosts a function: they tell its author nothing. */
const OURS =
  /^\s+at .*(?:[\\/]launcher[\\/]node[\\/][\w\\/-]+\.cjs|node:internal\/async_local_storage|node:events|node:_http_\w+):?/
const PROGRAM = /(?:file:\/\/)?[^\s("']*[\\/]programs[\\/][0-9a-f]{64}[\\/]root[\\/]/g

/** What a program wrote, with its files named as the person knows them; undefined for a line that is of no use. */
export const programText = (text: string): string | undefined => {
  const lines = text.split('\n').filter((line) => !OURS.test(line))
  return lines.length === 0 ? undefined : lines.join('\n').replace(PROGRAM, '')
}
