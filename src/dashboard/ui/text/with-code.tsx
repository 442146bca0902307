/** What stands between backticks in a text of the server is a name or a command. */
export const withCode = (text: string) =>
  // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a sentence never move
  text.split('`').map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>))
